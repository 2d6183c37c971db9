import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, choose, say } from './attempt';
import { calleesOf, million, sizes } from './entries/sizes';
import type { SizedAccount } from './entries/sizes';
import { freePort } from './free-port';
import { openTwoYears } from './growth/two-years';
import { FailedRun } from './harness';
import { describe, save, toMarkdown } from './report';
import { measureSideBySide } from './side-by-side';
import type { Side, SideBySide } from './side-by-side';
import { startStack } from './stack';
import type { BenchStack } from './stack';
import { withDatabase } from './with-database';

const plan = { roundMs: 1_500, warmUpMs: 4_000 };
/** An idle stack uses less, of a core. */
const atRest = 0.15;

/**
 * Two stacks side by side, one whose account has made a million calls in two years and one with many times as many. Both are asked the
 * same, and their answers are equally long: what is left is what the rows that are not asked for cost.
 */
export async function runSizes(
  root: string,
  { words, rows = 10 * million, rounds = 8 }: { words: string[]; rows?: number; rounds?: number },
): Promise<void> {
  if (rows <= million) throw new FailedRun('sizes compares with a million calls: --rows= must be more');
  const filled = new Map<BenchStack, SizedAccount>();
  const entries = choose(
    sizes((stack) => filled.get(stack)!),
    words,
  );
  const start = async (size: number): Promise<Side> => {
    const name = `${size / million}M calls`;
    say(`starting the stack of ${name} …`);
    const stack = await startStack(root, await freePort(), {
      home: join(root, '.sabia', `bench-${size}`),
      environment: { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0' },
    });
    started.push(stack);
    filled.set(stack, await fill(stack, size));
    return { name, stack };
  };
  const started: BenchStack[] = [];
  try {
    const sides = [await start(rows), await start(million)] as const;
    for (const side of sides) await rest(side);
    const results: SideBySide[] = [];
    for (const entry of entries) {
      await attempt(entry.name, async () =>
        results.push(await measureSideBySide(entry, sides, { ...plan, rounds }, say)),
      );
    }
    const report = describe({ results: [], comparisons: [], sideBySide: results }, new Date());
    await save(report, join(root, 'bench', 'results'));
    process.stdout.write(toMarkdown(report));
  } finally {
    await Promise.all(started.map((stack) => stack.close()));
  }
}

async function fill(stack: BenchStack, rows: number): Promise<SizedAccount> {
  const years = await openTwoYears(stack);
  await years.add({ count: rows, first: 1, callees: calleesOf(rows) }, say);
  const ids = await withDatabase(stack, async (client) => {
    const found = await client.query<{ id: string }>(
      `SELECT id FROM telephony.calls TABLESAMPLE SYSTEM (${(2 * million) / rows}) WHERE domain = $1`,
      [years.account.domain],
    );
    return found.rows.map(({ id }) => id);
  });
  return { ...years, rows, ids };
}

/** Waits until PostgreSQL has done what it still has to do after the rows were written; it would count as the cost of a question. */
async function rest({ name, stack }: Side): Promise<void> {
  const busyOf = async (): Promise<number> => {
    const before = stack.cpuSeconds() ?? 0;
    await delay(5_000);
    return ((stack.cpuSeconds() ?? 0) - before) / 5;
  };
  for (let calm = 0, tries = 0; calm < 3; tries += 1) {
    if (tries === 60) throw new FailedRun(`${name}: the stack does not come to rest`);
    const busy = await busyOf();
    say(`${name}: at rest with ${busy.toFixed(2)} of a core`);
    calm = busy < atRest ? calm + 1 : 0;
  }
}

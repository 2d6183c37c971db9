import { setTimeout as delay } from 'node:timers/promises';
import type { BenchArguments, OtherStack } from './arguments';
import { choose, say } from './attempt';
import { calleesOf, million, sizes } from './entries/sizes';
import type { SizedAccount } from './entries/sizes';
import { openTwoYears } from './growth/two-years';
import { FailedRun } from './harness';
import type { Side } from './side-by-side';
import type { BenchStack } from './stack';
import { otherStack, runTwoStacks } from './two-stacks';
import type { StackToStart } from './two-stacks';
import { withDatabase } from './with-database';

const roundsByDefault = 8;
/** An idle stack uses less, of a core. */
const atRest = 0.15;

/**
 * Two stacks side by side, one whose account has made a million calls in two years and one with many times as many. Both are asked the
 * same, and their answers are equally long: what is left is what the rows that are not asked for cost. Beside another stack, both have
 * the same number.
 */
export async function runSizes(root: string, options: BenchArguments): Promise<void> {
  const { words, rounds = roundsByDefault, other } = options;
  const filled = new Map<BenchStack, SizedAccount>();
  const entries = choose(
    sizes((stack) => filled.get(stack)!),
    words,
  );
  const [first, second] = await (other === undefined ? twoSizes(root, options) : oneSize(root, { ...options, other }));
  await runTwoStacks(root, [first, second], {
    entries,
    rounds,
    async prepare(sides) {
      for (const [nth, { rows }] of [first, second].entries()) {
        const { stack } = sides[nth]!;
        filled.set(stack, await fill(stack, rows));
      }
      for (const side of sides) await rest(side);
    },
  });
}

type SizedStack = StackToStart & { rows: number };

function twoSizes(root: string, { rows = 10 * million }: BenchArguments): [SizedStack, SizedStack] {
  if (rows <= million) throw new FailedRun('sizes compares with a million calls: --rows= must be more');
  const stackOf = (size: number) => ({
    ...{ name: `${size / million}M calls`, home: `bench-${size}`, tree: root },
    rows: size,
  });
  return [stackOf(rows), stackOf(million)];
}

async function oneSize(
  root: string,
  { rows = million, other }: BenchArguments & { other: OtherStack },
): Promise<[SizedStack, SizedStack]> {
  const here = { name: 'this tree', home: 'bench-here', tree: root };
  return [
    { ...here, rows },
    { ...(await otherStack(root, other)), rows },
  ];
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

import { join } from 'node:path';
import type { BenchArguments, OtherStack } from './arguments';
import { attempt, choose, say } from './attempt';
import { sideBySide } from './entries/side-by-side';
import { freePort } from './free-port';
import { checkOut } from './other-commit';
import { describe, save, toMarkdown } from './report';
import { measureSideBySide } from './side-by-side';
import type { Side, SideBySide } from './side-by-side';
import { startStack } from './stack';
import type { BenchStack } from './stack';

const plan = { rounds: 6, roundMs: 1_500, warmUpMs: 4_000 };
const rowsByDefault = 80_000;

/** Measures the stack of this tree beside another one: without some optimisations, or of another commit. */
export async function runSideBySide(
  root: string,
  { words, rows = rowsByDefault, rounds = plan.rounds, other }: BenchArguments & { other: OtherStack },
): Promise<void> {
  const entries = choose(sideBySide({ rows, say }), words);
  const otherRoot = other.kind === 'commit' ? await checkOut(root, other.ref, say) : root;
  const otherName = other.kind === 'commit' ? other.ref : `without ${other.names}`;
  const plainPaths = other.kind === 'plain' ? { PLAIN_PATHS: other.names } : {};
  const started: BenchStack[] = [];
  const start = async (name: string, home: string, tree: string, environment = {}): Promise<Side> => {
    say(`starting the stack "${name}" …`);
    const stack = await startStack(tree, await freePort(), {
      home: join(root, '.sabia', home),
      environment: { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0', ...environment },
    });
    started.push(stack);
    return { name, stack };
  };
  try {
    const sides = [
      await start('this tree', 'bench-here', root),
      await start(otherName, 'bench-other', otherRoot, plainPaths),
    ] as const;
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

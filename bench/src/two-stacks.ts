import { join } from 'node:path';
import type { OtherStack } from './arguments';
import { attempt, say } from './attempt';
import { freePort } from './free-port';
import { checkOut } from './other-commit';
import { describe, save, toMarkdown } from './report';
import { measureSideBySide } from './side-by-side';
import type { Side, SideBySide, SideBySideEntry } from './side-by-side';
import { startStack } from './stack';
import type { BenchStack } from './stack';

/** V8 has compiled what lists of calls need after some eight seconds of them: the first two cost twice as much CPU a list. */
const turns = { roundMs: 1_500, warmUpMs: 10_000 };

export interface StackToStart {
  name: string;
  /** The name of its folder below .sabia/. */
  home: string;
  /** The root of its tree. */
  tree: string;
  environment?: NodeJS.ProcessEnv;
}

/** What this tree is measured beside. */
export async function otherStack(root: string, other: OtherStack): Promise<StackToStart> {
  const home = 'bench-other';
  return other.kind === 'commit'
    ? { name: other.ref, home, tree: await checkOut(root, other.ref, say) }
    : { name: `without ${other.names}`, home, tree: root, environment: { PLAIN_PATHS: other.names } };
}

export interface TwoStacksRun {
  entries: readonly SideBySideEntry[];
  rounds: number;
  /** What both need before the first entry. */
  prepare?: (sides: readonly [Side, Side]) => Promise<void>;
}

/** Runs the entries on two stacks in turns, and prints and saves the report. The stacks end with the run, however it ends. */
export async function runTwoStacks(
  root: string,
  [first, second]: readonly [StackToStart, StackToStart],
  { entries, rounds, prepare }: TwoStacksRun,
): Promise<void> {
  const started: BenchStack[] = [];
  const start = async ({ name, home, tree, environment }: StackToStart): Promise<Side> => {
    say(`starting the stack "${name}" …`);
    const stack = await startStack(tree, await freePort(), {
      home: join(root, '.sabia', home),
      environment: { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0', ...environment },
    });
    started.push(stack);
    return { name, stack };
  };
  try {
    const sides = [await start(first), await start(second)] as const;
    await prepare?.(sides);
    const results: SideBySide[] = [];
    for (const entry of entries) {
      await attempt(entry.name, async () =>
        results.push(await measureSideBySide(entry, sides, { ...turns, rounds }, say)),
      );
    }
    const report = describe({ results: [], comparisons: [], sideBySide: results }, new Date());
    await save(report, join(root, 'bench', 'results'));
    process.stdout.write(toMarkdown(report));
  } finally {
    await Promise.all(started.map((stack) => stack.close()));
  }
}

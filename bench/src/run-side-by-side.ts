import type { BenchArguments, OtherStack } from './arguments';
import { choose, say } from './attempt';
import { sideBySide } from './entries/side-by-side';
import { otherStack, runTwoStacks } from './two-stacks';

const roundsByDefault = 6;
const rowsByDefault = 80_000;

/** Measures the stack of this tree beside another one: without some optimisations, or of another commit. */
export async function runSideBySide(
  root: string,
  { words, rows = rowsByDefault, rounds = roundsByDefault, other }: BenchArguments & { other: OtherStack },
): Promise<void> {
  const entries = choose(sideBySide({ rows, say }), words);
  const here = { name: 'this tree', home: 'bench-here', tree: root };
  await runTwoStacks(root, [here, await otherStack(root, other)], { entries, rounds });
}

import type { BenchArguments, OtherStack } from './arguments';
import { choose, say } from './attempt';
import { sideBySide } from './entries/side-by-side';
import { checkOut } from './other-commit';
import { runTwoStacks } from './two-stacks';

const roundsByDefault = 6;
const rowsByDefault = 80_000;

/** Measures the stack of this tree beside another one: without some optimisations, or of another commit. */
export async function runSideBySide(
  root: string,
  { words, rows = rowsByDefault, rounds = roundsByDefault, other }: BenchArguments & { other: OtherStack },
): Promise<void> {
  const entries = choose(sideBySide({ rows, say }), words);
  const here = { name: 'this tree', home: 'bench-here', tree: root };
  const home = 'bench-other';
  const beside =
    other.kind === 'commit'
      ? { name: other.ref, home, tree: await checkOut(root, other.ref, say) }
      : { name: `without ${other.names}`, home, tree: root, environment: { PLAIN_PATHS: other.names } };
  await runTwoStacks(root, [here, beside], { entries, rounds });
}

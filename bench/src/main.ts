import { resolve } from 'node:path';
import { readArguments } from './arguments';
import { explain } from './attempt';
import { runFloors } from './run-floors';
import { runGrowth } from './run-growth';
import { runSideBySide } from './run-side-by-side';
import { runSizes } from './run-sizes';

const root = resolve(__dirname, '../..');

async function main(given: string[]): Promise<void> {
  const options = readArguments(given);
  const { other } = options;
  const [kind, ...words] = options.words;
  if (kind === 'sizes') await runSizes(root, { ...options, words });
  else if (other !== undefined) await runSideBySide(root, { ...options, other });
  else if (kind === 'growth') await runGrowth(root, { words, rows: options.rows });
  else await runFloors(root, options);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  explain(error);
  process.exitCode = 1;
});

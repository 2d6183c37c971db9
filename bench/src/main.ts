import { resolve } from 'node:path';
import { readArguments } from './arguments';
import { explain } from './attempt';
import { runFloors } from './run-floors';
import { runSideBySide } from './run-side-by-side';

const root = resolve(__dirname, '../..');

async function main(given: string[]): Promise<void> {
  const { other, ...options } = readArguments(given);
  await (other === undefined ? runFloors(root, options) : runSideBySide(root, { ...options, other }));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  explain(error);
  process.exitCode = 1;
});

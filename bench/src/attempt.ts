import { FailedRun } from './harness';
import { LeftOut } from './stack';

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One entry that fails does not lose what the others have measured. */
export async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof LeftOut) {
      say(`left out: ${name}, because ${error.message}`);
      return;
    }
    explain(error);
    process.exitCode = 1;
  }
}

export function explain(error: unknown): void {
  say(error instanceof FailedRun ? `refused: ${error.message}` : String(error instanceof Error ? error.stack : error));
}

/** The entries whose name has one of the words; all of them without a word. */
export function choose<E extends { name: string }>(entries: readonly E[], words: readonly string[]): E[] {
  const chosen = entries.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  if (chosen.length === 0)
    throw new FailedRun(`no entry matches; there are: ${entries.map(({ name }) => name).join('; ')}`);
  return chosen;
}

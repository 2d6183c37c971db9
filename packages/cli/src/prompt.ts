import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure, exitCodes } from './failure';

/** Asks at the terminal; `otherwise` is what to tell where there is none. */
export async function ask(question: string, otherwise: string): Promise<string> {
  return read(question, otherwise, process.stderr);
}

/** What is typed is not shown. */
export async function askSecretly(question: string, otherwise: string): Promise<string> {
  let asked = false;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // The question is written first, the echo of each key after it.
      if (!asked) process.stderr.write(chunk);
      asked = true;
      done();
    },
  });
  const answer = await read(question, otherwise, output);
  process.stderr.write('\n');
  return answer;
}

async function read(question: string, otherwise: string, output: NodeJS.WritableStream): Promise<string> {
  if (!process.stdin.isTTY) throw new Failure(otherwise, exitCodes.usage);
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

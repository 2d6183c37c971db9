import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { compare } from './comparison';
import type { Comparison } from './comparison';
import { firstSlice } from './entries/first-slice';
import { grpcHop } from './entries/grpc-hop';
import { loginTiming } from './entries/login-timing';
import { manyExtensions } from './entries/many-extensions';
import { FailedRun, measure } from './harness';
import type { Result } from './harness';
import { describe, save, toMarkdown } from './report';
import { startStack } from './stack';

const root = resolve(__dirname, '../..');
const plan = { rounds: 5, roundMs: 3000, warmUpMs: 2000 };

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function main(wanted: string[]): Promise<void> {
  say('starting a stack for the benchmark …');
  const stack = await startStack(root, await freePort());
  try {
    const entries = [grpcHop, ...firstSlice(stack), ...manyExtensions(stack)];
    if (!stack.sip) say('left out: SIP REGISTER, because this stack runs without Asterisk');
    const comparisonEntries = [loginTiming(stack)];
    const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.some((word) => name.includes(word));
    const all = [...entries, ...comparisonEntries];
    if (!all.some(isWanted))
      throw new FailedRun(`no entry matches; there are: ${all.map(({ name }) => name).join('; ')}`);
    const results: Result[] = [];
    for (const entry of entries.filter(isWanted)) results.push(await measure(entry, plan, say));
    const comparisons: Comparison[] = [];
    for (const entry of comparisonEntries.filter(isWanted)) comparisons.push(await compare(entry, say));
    const report = describe({ results, comparisons }, new Date());
    await save(report, join(root, 'bench', 'results'));
    process.stdout.write(toMarkdown(report));
  } finally {
    await stack.close();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof FailedRun ? `refused: ${error.message}` : String(error instanceof Error ? error.stack : error));
  process.exitCode = 1;
});

import { join, resolve } from 'node:path';
import { compare } from './comparison';
import type { Comparison } from './comparison';
import { billing } from './entries/billing';
import { calls } from './entries/calls';
import { firstSlice } from './entries/first-slice';
import { grpcHop } from './entries/grpc-hop';
import { loginTiming } from './entries/login-timing';
import { manyExtensions } from './entries/many-extensions';
import { realCalls } from './entries/real-calls';
import { webhookDelays, webhooks } from './entries/webhooks';
import { freePort } from './free-port';
import { FailedRun, measure } from './harness';
import type { Result } from './harness';
import { describe, save, toMarkdown } from './report';
import { startStack } from './stack';
import type { BenchStack } from './stack';
import { tryOut } from './trial';
import type { Trial } from './trial';

const root = resolve(__dirname, '../..');
const plan = { rounds: 5, roundMs: 3000, warmUpMs: 2000 };

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** `--rows=10000000`: how many calls the account has whose calls are listed. */
function readArguments(given: string[]): { wanted: string[]; rows: number } {
  const rows = given.find((word) => word.startsWith('--rows='))?.slice('--rows='.length) ?? '1000000';
  if (!/^[1-9]\d{3,8}$/.test(rows)) throw new FailedRun('--rows= takes a number from 1000 to 999999999');
  return { wanted: given.filter((word) => !word.startsWith('--')), rows: Number(rows) };
}

async function main(given: string[]): Promise<void> {
  const { wanted, rows } = readArguments(given);
  say('starting a stack for the benchmark …');
  const stack = await startStack(root, await freePort());
  let simulated: BenchStack | undefined;
  const openStack = async (): Promise<BenchStack> => {
    say('starting a second stack, with the simulated switch …');
    const environment = { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0' };
    simulated = await startStack(root, await freePort(), { name: 'bench-calls', environment });
    return simulated;
  };
  try {
    const entries = [grpcHop, ...firstSlice(stack), ...manyExtensions(stack), ...webhooks(stack), ...billing(stack)];
    entries.push(...calls({ openStack, rows, say }));
    if (!stack.sip) say('left out: SIP REGISTER and real calls, because this stack runs without Asterisk');
    const comparisonEntries = [loginTiming(stack)];
    const trialEntries = [webhookDelays(stack), ...realCalls(stack)];
    const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.some((word) => name.includes(word));
    const all = [...entries, ...trialEntries, ...comparisonEntries];
    if (!all.some(isWanted))
      throw new FailedRun(`no entry matches; there are: ${all.map(({ name }) => name).join('; ')}`);
    const results: Result[] = [];
    for (const entry of entries.filter(isWanted)) results.push(await measure(entry, plan, say));
    const trials: Trial[] = [];
    for (const entry of trialEntries.filter(isWanted)) trials.push(await tryOut(entry, say));
    const comparisons: Comparison[] = [];
    for (const entry of comparisonEntries.filter(isWanted)) comparisons.push(await compare(entry, say));
    const report = describe({ results, trials, comparisons }, new Date());
    await save(report, join(root, 'bench', 'results'));
    process.stdout.write(toMarkdown(report));
  } finally {
    await Promise.all([stack.close(), simulated?.close()]);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof FailedRun ? `refused: ${error.message}` : String(error instanceof Error ? error.stack : error));
  process.exitCode = 1;
});

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
import { once } from './once';
import { LeftOut, startStack } from './stack';
import type { BenchStack, OpenStack } from './stack';
import { tryOut } from './trial';
import type { Trial } from './trial';

const root = resolve(__dirname, '../..');
/** Processes that have just been started are still being compiled: what they do at first is not what they can do. */
const plan = { rounds: 5, roundMs: 3000, warmUpMs: 10_000 };

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
  const started: BenchStack[] = [];
  const open = (what: string, options: Parameters<typeof startStack>[2]): OpenStack =>
    once(async () => {
      say(`starting ${what} …`);
      const stack = await startStack(root, await freePort(), options);
      started.push(stack);
      return stack;
    });
  const closeAll = () => Promise.all(started.splice(0).map((stack) => stack.close()));
  const openStack = open('a stack for the benchmark', {});
  const openSimulated = open('a stack with the simulated switch', {
    name: 'bench-calls',
    environment: { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0' },
  });
  const callEntries = [grpcHop, ...calls({ openStack: openSimulated, rows, say })];
  const otherEntries = [
    ...firstSlice(openStack),
    ...manyExtensions(openStack),
    ...webhooks(openStack),
    ...billing(openStack),
  ];
  const trialEntries = [webhookDelays(openStack), ...realCalls(openStack)];
  const comparisonEntries = [loginTiming(openStack)];
  const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.some((word) => name.includes(word));
  const all = [...callEntries, ...otherEntries, ...trialEntries, ...comparisonEntries];
  if (!all.some(isWanted))
    throw new FailedRun(`no entry matches; there are: ${all.map(({ name }) => name).join('; ')}`);

  const measured = { results: [] as Result[], trials: [] as Trial[], comparisons: [] as Comparison[] };
  try {
    for (const entries of [callEntries, otherEntries]) {
      for (const entry of entries.filter(isWanted))
        await attempt(entry.name, async () => measured.results.push(await measure(entry, plan, say)));
      // A stack that is no longer needed would only be in the way of the next.
      if (entries === callEntries) await closeAll();
    }
    for (const entry of trialEntries.filter(isWanted))
      await attempt(entry.name, async () => measured.trials.push(await tryOut(entry, say)));
    for (const entry of comparisonEntries.filter(isWanted))
      await attempt(entry.name, async () => measured.comparisons.push(await compare(entry, say)));
    const report = describe(measured, new Date());
    await save(report, join(root, 'bench', 'results'));
    process.stdout.write(toMarkdown(report));
  } finally {
    await closeAll();
  }
}

/** What the others have measured is not lost with one that fails. */
async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
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

function explain(error: unknown): void {
  say(error instanceof FailedRun ? `refused: ${error.message}` : String(error instanceof Error ? error.stack : error));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  explain(error);
  process.exitCode = 1;
});

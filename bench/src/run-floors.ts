import { join } from 'node:path';
import type { BenchArguments } from './arguments';
import { attempt, choose, say } from './attempt';
import { compare } from './comparison';
import type { Comparison } from './comparison';
import { billing } from './entries/billing';
import { calls } from './entries/calls';
import { callWrites } from './entries/call-writes';
import { eventStreams } from './entries/event-streams';
import { firstSlice } from './entries/first-slice';
import { fleet } from './entries/fleet';
import { fleetCarriers } from './entries/fleet-carriers';
import { fleetUpkeep } from './entries/fleet-upkeep';
import { grpcHop } from './entries/grpc-hop';
import { idle } from './entries/idle';
import { loginTiming } from './entries/login-timing';
import { longSnapshot } from './entries/long-snapshot';
import { manyExtensions } from './entries/many-extensions';
import { realCalls } from './entries/real-calls';
import { retention } from './entries/retention';
import { webhookDelays, webhooks } from './entries/webhooks';
import { freePort } from './free-port';
import { measure } from './harness';
import type { Result } from './harness';
import { describe, save, toMarkdown } from './report';
import { once } from './once';
import { startStack } from './stack';
import type { BenchStack, OpenStack, StartOptions } from './stack';
import { tryOut } from './trial';
import type { Trial } from './trial';

/** Processes that have just been started are still being compiled: what they do at first is not what they can do. */
const plan = { rounds: 5, roundMs: 3000, warmUpMs: 10_000 };

export async function runFloors(
  root: string,
  { words, rows = 1_000_000 }: Pick<BenchArguments, 'words' | 'rows'>,
): Promise<void> {
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
  const simulated = { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0' };
  const openSimulated = open('a stack with the simulated switch', {
    home: join(root, '.sabia', 'bench-calls'),
    environment: simulated,
  });
  const openToDrop = open('a stack whose calls are dropped', {
    home: join(root, '.sabia', 'bench-retention'),
    environment: simulated,
  });
  const openFleet = (nodes: number): Promise<BenchStack> =>
    open(`a stack with ${nodes} nodes and two edges`, {
      home: join(root, '.sabia', 'bench-fleet'),
      environment: { SABIA_SWITCHES: String(nodes), SABIA_EDGES: '2', MAXIMUM_LIVE_CALLS: '0' },
    })();
  const callEntries = [grpcHop, ...calls({ openStack: openSimulated, rows, say })];
  const otherEntries = [
    ...firstSlice(openStack),
    ...manyExtensions(openStack),
    ...webhooks(openStack),
    ...billing(openStack),
  ];
  const trialEntries = [
    webhookDelays(openStack),
    ...eventStreams(openSimulated),
    ...longSnapshot(openSimulated),
    ...retention(openToDrop, rows),
    ...realCalls(openStack),
    ...callWrites(openStack),
  ];
  const fleetEntries = [...fleet(openFleet), ...fleetCarriers(openFleet), ...fleetUpkeep(openFleet)];
  const startOne = async (options: StartOptions): Promise<BenchStack> => startStack(root, await freePort(), options);
  const ownEntries = [...fleetEntries, ...idle(startOne, join(root, '.sabia', 'bench-idle'))];
  const comparisonEntries = [loginTiming(openStack)];
  const chosen = new Set<{ name: string }>(
    choose<{ name: string }>(
      [...callEntries, ...otherEntries, ...trialEntries, ...comparisonEntries, ...ownEntries],
      words,
    ),
  );
  const isWanted = (entry: { name: string }): boolean => chosen.has(entry);

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
    // These start stacks of their own, one after the other.
    await closeAll();
    for (const entry of ownEntries.filter(isWanted))
      await attempt(entry.name, async () => measured.trials.push(await tryOut(entry, say)));
    const report = describe(measured, new Date());
    await save(report, join(root, 'bench', 'results'));
    process.stdout.write(toMarkdown(report));
  } finally {
    await closeAll();
  }
}

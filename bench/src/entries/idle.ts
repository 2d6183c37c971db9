import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchStack, StartOptions } from '../stack';
import type { TrialEntry, Verdict } from '../trial';

const times = 3;
/** By then nothing of the start is under way any more. */
const idleMs = 75_000;
const mostSeconds = 8;
const mostMegabytes = 420;

export type StartStack = (options: StartOptions) => Promise<BenchStack>;

/** What a stack without Asterisk needs before anybody asks it for anything: time to start, and memory. */
export function idle(start: StartStack, home: string): TrialEntry[] {
  return [{ name: 'a start, and the memory of an idle stack', run: (say) => startAndWait(start, home, say) }];
}

async function startAndWait(start: StartStack, home: string, say: (line: string) => void): Promise<Verdict> {
  const options = { home, isKept: true, environment: { SABIA_SWITCH: 'simulated' } };
  await rm(home, { recursive: true, force: true });
  try {
    const fresh = await measureOne(() => start(options), 0);
    say(`with an empty home: ready after ${fresh.seconds.toFixed(1)} s`);
    const all = [];
    for (let nth = 0; nth < times; nth += 1) {
      const one = await measureOne(() => start(options), idleMs);
      say(`ready after ${one.seconds.toFixed(1)} s, idle with ${one.megabytes.toFixed(0)} MB`);
      all.push(one);
    }
    const seconds = all.map((one) => one.seconds.toFixed(1)).join(', ');
    const megabytes = all.map((one) => one.megabytes.toFixed(0)).join(', ');
    return {
      floor: `${fresh.seconds.toFixed(1)} s with an empty home`,
      measured: `${seconds} s; ${megabytes} MB`,
      target: `at most ${mostSeconds} s and ${mostMegabytes} MB each time`,
      kept: all.every((one) => one.seconds <= mostSeconds && one.megabytes <= mostMegabytes),
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function measureOne(start: () => Promise<BenchStack>, waitMs: number) {
  const startedAt = performance.now();
  const stack = await start();
  const seconds = (performance.now() - startedAt) / 1000;
  await delay(waitMs);
  const megabytes = stack.megabytes() ?? NaN;
  await stack.close();
  return { seconds, megabytes };
}

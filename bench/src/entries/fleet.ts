import { setTimeout as delay } from 'node:timers/promises';
import { costOf, load, parts, sum } from '../fleet-cost';
import { openRealCalls } from '../real-calls';
import type { BenchStack } from '../stack';
import type { TrialEntry } from '../trial';

const sizes = [1, 2, 3];
const rate = 15;
const seconds = 40;
/** A hundred calls at a time, after as many seconds. */
const talkMs = 7_000;
const warmUp = { rate: 10, calls: 200 };
const idleMs = 15_000;
/** Of the cost with one node. */
const target = 1.15;

/** The calls of one measurement, those that do not count included. */
export const MEASURED = warmUp.calls + rate * seconds;

/** Starts a stack with so many nodes behind two edges. */
export type OpenFleet = (nodes: number) => Promise<BenchStack>;

/**
 * What a call costs, in CPU time of all processes, with one, two and three nodes on this machine: the cores stay the same, so more
 * nodes carry more calls elsewhere if a call does not cost more.
 */
export function fleet(openFleet: OpenFleet): TrialEntry[] {
  return [
    {
      name: `fleet: CPU of a call with ${sizes.join(', ')} nodes, ${rate} set-ups/s, ${(rate * talkMs) / 1000} live calls`,
      async run(say) {
        const costs: number[] = [];
        const lines: string[] = [];
        let failed = 0;
        for (const nodes of sizes) {
          const stack = await openFleet(nodes);
          try {
            const { cost, idle, whole } = await costOfCalls(stack, nodes, say);
            const total = sum(cost);
            costs.push(total);
            failed += MEASURED - whole;
            const each = parts.map((part) => `${part} ${cost[part].toFixed(1)}`).join(', ');
            lines.push(
              `${nodes}: ${total.toFixed(1)} ms (${each}), ${(1000 / total).toFixed(0)} set-ups/s per core, idle ${sum(idle).toFixed(2)} cores`,
            );
            say(`  ${lines.at(-1)}`);
          } finally {
            await stack.close();
          }
        }
        const growth = Math.max(...costs) / costs[0]!;
        return {
          floor: 'one node',
          measured: `${lines.join('; ')}; ${failed} failed`,
          target: `≤ ${target} × one node, none fails`,
          kept: growth <= target && failed === 0,
        };
      },
    },
  ];
}

/** `called`: see RealCallsOptions. */
export async function costOfCalls(
  stack: BenchStack,
  nodes: number,
  say: (line: string) => void,
  options: { called?: string } = {},
) {
  const calls = await openRealCalls(stack, 30, talkMs, options);
  try {
    await calls.placeMany(warmUp.calls, warmUp.rate, say);
    await calls.outcome();
    const idle = await load(stack, nodes, () => delay(idleMs));
    const busy = await load(stack, nodes, async () => {
      await calls.placeMany(rate * seconds, rate, say);
      return calls.outcome();
    });
    const { whole, failed } = busy.result;
    for (const { cause, duration, calls: count } of failed) say(`  failed: ${count} × ${cause} after ${duration} s`);
    const cost = costOf((part) => ((busy.cores[part] - idle.cores[part]) * busy.ms) / (rate * seconds));
    return { cost, idle: idle.cores, whole };
  } finally {
    await calls.close();
  }
}

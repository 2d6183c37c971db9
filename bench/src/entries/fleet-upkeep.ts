import { setTimeout as delay } from 'node:timers/promises';
import { costOf, load, parts, sum } from '../fleet-cost';
import type { Cost } from '../fleet-cost';
import { openRealCalls } from '../real-calls';
import type { RealCallsOptions } from '../real-calls';
import type { BenchStack } from '../stack';
import type { TrialEntry } from '../trial';
import type { OpenFleet } from './fleet';

const calls = 30;
const placedPerSecond = 10;
const listenMs = 25_000;
/** Calls begin one after the other, and all of them are up while it is measured. */
const talkLongerMs = 8_000;
const idleMs = 15_000;
const registrations = 3_000;
const abreast = 10;

/** What calls cost while they are up, in CPU time of a minute with audio both ways, and what a phone costs that registers. */
export function fleetUpkeep(openFleet: OpenFleet): TrialEntry[] {
  return [
    {
      name: `fleet: CPU of a minute of talk (${calls} calls up, G.711, one node) and of a registration with challenge`,
      async run(say) {
        const stack = await openFleet(1);
        try {
          const lines: string[] = [];
          let allFailed = 0;
          // Calls of a stack that has just been started are not counted, and neither are those before the idle time.
          await talk(stack, {}, say);
          const { cores: idle } = await load(stack, 1, () => delay(idleMs));
          for (const [what, options] of [
            ['a minute of talk', {}],
            ['a recorded minute', { recorded: true }],
          ] as const) {
            const { cores, failed } = await talk(stack, options, say, listenMs);
            allFailed += failed;
            const cost = costOf((part) => ((cores[part] - idle[part]) * 60_000) / calls);
            lines.push(`${what}: ${describe(cost)}, ${(60_000 / cost.node).toFixed(0)} calls per core of the node`);
            say(`  ${lines.at(-1)}`);
          }
          const cost = await costOfRegistration(stack, idle);
          lines.push(`a registration: ${describe(cost, 2)}, ${(1000 / cost.edge).toFixed(0)}/s per core of the edges`);
          return {
            floor: 'the idle stack',
            measured: `${lines.join('; ')}; ${allFailed} calls failed`,
            target: 'none fails',
            kept: allFailed === 0,
          };
        } finally {
          await stack.close();
        }
      },
    },
  ];
}

const describe = (cost: Cost, digits = 0): string =>
  `${sum(cost).toFixed(digits)} ms (${parts.map((part) => `${part} ${cost[part].toFixed(digits)}`).join(', ')})`;

async function talk(stack: BenchStack, options: RealCallsOptions, say: (line: string) => void, ms = 1_000) {
  const real = await openRealCalls(stack, calls, ms + talkLongerMs, { audible: true, ...options });
  try {
    const refusals = await real.placeMany(calls, placedPerSecond, say);
    await real.talking(calls - refusals.length);
    const { cores } = await load(stack, 1, () => delay(ms));
    const { whole } = await real.outcome();
    return { cores, failed: calls - whole };
  } finally {
    await real.close();
  }
}

/** Milliseconds. */
async function costOfRegistration(stack: BenchStack, idle: Cost): Promise<Cost> {
  const real = await openRealCalls(stack, abreast);
  try {
    const { cores, ms } = await load(stack, 1, () =>
      Promise.all(
        real.ramals.map(async (ramal) => {
          for (let nth = 0; nth < registrations / abreast; nth += 1) await real.register(ramal);
        }),
      ),
    );
    return costOf((part) => ((cores[part] - idle[part]) * ms) / registrations);
  } finally {
    await real.close();
  }
}

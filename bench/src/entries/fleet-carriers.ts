import { parts, sum } from '../fleet-cost';
import { number } from '../real-calls';
import { DIRECT_PREFIX } from '../stack';
import type { TrialEntry } from '../trial';
import { costOfCalls, MEASURED } from './fleet';
import type { OpenFleet } from './fleet';

const ways = [
  { way: 'straight from the node', called: number.replace(/^\d{4}/, DIRECT_PREFIX) },
  { way: 'through an edge', called: number },
];

/** What it costs that nodes ask carriers through an edge: the CPU time of the same calls with and without one. */
export function fleetCarriers(openFleet: OpenFleet): TrialEntry[] {
  return [
    {
      name: 'fleet: CPU of a call to a carrier through an edge, and straight from the node',
      async run(say) {
        const stack = await openFleet(1);
        try {
          const lines: string[] = [];
          let failed = 0;
          for (const { way, called } of ways) {
            const { cost, whole } = await costOfCalls(stack, 1, say, { called });
            failed += MEASURED - whole;
            const each = parts.map((part) => `${part} ${cost[part].toFixed(2)}`).join(', ');
            lines.push(`${way}: ${sum(cost).toFixed(1)} ms (${each})`);
            say(`  ${lines.at(-1)}`);
          }
          return {
            floor: lines[0]!,
            measured: `${lines[1]}; ${failed} failed`,
            target: 'none fails',
            kept: failed === 0,
          };
        } finally {
          await stack.close();
        }
      },
    },
  ];
}

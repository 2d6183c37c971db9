import { cpuSecondsOf } from './process-usage';
import type { BenchStack } from './stack';

/** The parts of a stack whose cost is told apart; the rest is the gateway, the other services, NATS and Redis. */
export const parts = ['node', 'edge', 'telephony', 'PostgreSQL', 'the rest'] as const;
export type Cost = Record<(typeof parts)[number], number>;

export const costOf = (each: (part: (typeof parts)[number]) => number): Cost =>
  Object.fromEntries(parts.map((part) => [part, each(part)])) as Cost;

export const sum = (cost: Cost): number => parts.reduce((total, part) => total + cost[part], 0);

/** How many cores each part uses while the work is done. */
export async function load<T>(stack: BenchStack, nodes: number, work: () => Promise<T>) {
  const [before, begun] = [spent(stack, nodes), performance.now()];
  const result = await work();
  const [after, ms] = [spent(stack, nodes), performance.now() - begun];
  return { cores: costOf((part) => ((after[part] - before[part]) * 1000) / ms), ms, result };
}

/** CPU seconds so far. */
function spent(stack: BenchStack, nodes: number): Cost {
  const of = (...names: string[]) => names.reduce((total, name) => total + (cpuSecondsOf(stack.pidOf(name)) ?? 0), 0);
  const named = {
    node: of('asterisk', ...Array.from({ length: nodes - 1 }, (_, nth) => `asterisk-${nth + 2}`)),
    edge: of('edge', 'edge-2'),
    telephony: of('telephony'),
    PostgreSQL: of('postgres'),
  };
  const all = stack.cpuSeconds() ?? 0;
  return { ...named, 'the rest': all - Object.values(named).reduce((total, each) => total + each, 0) };
}

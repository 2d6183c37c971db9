import { FailedRun } from './harness';
import type { Turn } from './harness';
import { drive, median, warmUp } from './load';
import type { Job, Sample } from './load';
import type { BenchStack } from './stack';

/** Work that two stacks do in turns: this tree's, and the one it is measured beside. */
export interface SideBySideEntry {
  name: string;
  concurrency?: number;
  prepare(stack: BenchStack): Promise<{ work: Job | Turn; close(): Promise<void> }>;
}

export interface Side {
  name: string;
  stack: BenchStack;
}

/** Of the rounds: the one in the middle, the lowest and the highest. */
export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

export interface SideBySide {
  name: string;
  sides: [string, string];
  perSecond: [number, number];
  /** This tree's pace divided by the other's. */
  pace: Spread;
  /** Milliseconds of CPU per request, of all processes of the stack; undefined where the system does not tell. */
  cpuMs?: [number, number];
  /** This tree's CPU per request divided by the other's. */
  cpu?: Spread;
}

export interface SideBySidePlan {
  rounds: number;
  roundMs: number;
  warmUpMs: number;
}

interface Measured {
  perSecond: number;
  cpuMs: number | undefined;
}

/**
 * Both stacks run all the time and are asked in turns, the one that goes first changing with every round, so that whatever
 * disturbs the machine disturbs both. Each round has a ratio of its own. A run with a single error is refused.
 */
export async function measureSideBySide(
  entry: SideBySideEntry,
  sides: readonly [Side, Side],
  plan: SideBySidePlan,
  say: (line: string) => void,
): Promise<SideBySide> {
  const stages: Awaited<ReturnType<SideBySideEntry['prepare']>>[] = [];
  const rounds: [Measured, Measured][] = [];
  try {
    for (const { stack } of sides) stages.push(await entry.prepare(stack));
    for (const side of [0, 1] as const) await warmUp((ms) => turn(side, ms), plan.warmUpMs);
    for (let round = 0; round < plan.rounds; round += 1) {
      const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
      const measured: Partial<Record<0 | 1, Measured>> = {};
      for (const side of order) measured[side] = await turn(side, plan.roundMs);
      const [here, other] = [measured[0]!, measured[1]!];
      rounds.push([here, other]);
      say(
        `${entry.name}: round ${round + 1}/${plan.rounds}, ${sides[0].name} ${write(here)}, ${sides[1].name} ${write(other)}`,
      );
    }
  } finally {
    await Promise.all(stages.map(({ close }) => close()));
  }
  return summary(entry.name, [sides[0].name, sides[1].name], rounds);

  async function turn(side: 0 | 1, durationMs: number): Promise<Measured & Pick<Sample, 'count'>> {
    const { stack } = sides[side];
    let before = stack.cpuSeconds();
    const begin = (): void => void (before = stack.cpuSeconds());
    const { work } = stages[side]!;
    const sample = await (typeof work === 'function'
      ? drive(work, entry.concurrency ?? 64, durationMs)
      : work.run(durationMs, begin));
    refuseErrors(`${entry.name}, ${sides[side].name}`, sample);
    const after = stack.cpuSeconds();
    const cpuMs = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / sample.count;
    return { count: sample.count, perSecond: sample.perSecond, cpuMs };
  }
}

function refuseErrors(what: string, { errors }: Sample): void {
  if (errors.length > 0) throw new FailedRun(`${what}: ${errors.length} errors, the first: ${errors[0]}`);
}

function write({ perSecond, cpuMs }: Measured): string {
  return `${perSecond.toFixed(0)}/s${cpuMs === undefined ? '' : ` at ${cpuMs.toFixed(2)} ms of CPU`}`;
}

export function summary(
  name: string,
  sides: [string, string],
  rounds: readonly (readonly [Measured, Measured])[],
): SideBySide {
  const both = (read: (measured: Measured) => number): [number, number] => [
    median(rounds.map(([here]) => read(here))),
    median(rounds.map(([, other]) => read(other))),
  ];
  const ratios = (read: (measured: Measured) => number): Spread => {
    const all = rounds.map(([here, other]) => read(here) / read(other));
    return { median: median(all), lowest: Math.min(...all), highest: Math.max(...all) };
  };
  const perSecond = (measured: Measured): number => measured.perSecond;
  const cpuMs = (measured: Measured): number => measured.cpuMs!;
  const hasCpu = rounds.every((round) => round.every((measured) => measured.cpuMs !== undefined));
  return {
    name,
    sides,
    perSecond: both(perSecond),
    pace: ratios(perSecond),
    ...(hasCpu ? { cpuMs: both(cpuMs), cpu: ratios(cpuMs) } : {}),
  };
}

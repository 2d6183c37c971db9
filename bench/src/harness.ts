import { drive, median, warmUp } from './load';
import type { Job, Sample } from './load';

/** A measurement of ours always stands beside what the machine can do at best, taken in the same run. */
export interface Entry {
  name: string;
  /** What the floor is, in words. */
  floorName: string;
  concurrency?: number;
  /** The ratio we hold ourselves to, if there is one. */
  target?: number;
  /** Number of rounds, where a small difference needs more than usual. */
  rounds?: number;
  prepare(): Promise<Stage>;
}

/** Work that is no loop of jobs and measures itself. */
export interface Turn {
  /** Calls `onStart` when its preparations are over and its clock starts. */
  run(durationMs: number, onStart?: () => void): Promise<Sample>;
}

export interface Stage {
  floor: Job | Turn;
  product: Job | Turn;
  /** Before every turn, outside the time that counts: undoes what the turn before has left behind. */
  reset?(): Promise<void>;
  close(): Promise<void>;
}

export interface Result {
  name: string;
  floorName: string;
  concurrency: number;
  floorPerSecond: number;
  productPerSecond: number;
  ratio: number;
  target?: number;
  p50: number;
  p99: number;
  rounds: number;
}

export interface Plan {
  rounds: number;
  roundMs: number;
  warmUpMs: number;
}

export class FailedRun extends Error {}

/**
 * Floor and product take turns within each round, so that a noisy neighbour or a warming CPU hits both; the ratio is
 * the median of the rounds' own ratios. A run with a single error is refused: speed at the cost of answers is no speed.
 */
export async function measure(entry: Entry, plan: Plan, progress: (line: string) => void): Promise<Result> {
  const concurrency = entry.concurrency ?? 64;
  const count = entry.rounds ?? plan.rounds;
  const { floor, product, reset, close } = await entry.prepare();
  try {
    for (const [what, work] of [
      ['floor', floor],
      ['product', product],
    ] as const)
      await warmUp((ms) => turn(`warm-up of the ${what}`, work, concurrency, ms), plan.warmUpMs);
    const rounds: { floor: Sample; product: Sample }[] = [];
    for (let round = 1; round <= count; round += 1) {
      const floorSample = await turn('floor', floor, concurrency, plan.roundMs);
      const productSample = await turn('product', product, concurrency, plan.roundMs);
      rounds.push({ floor: floorSample, product: productSample });
      progress(
        `${entry.name}: round ${round}/${count}, floor ${floorSample.perSecond.toFixed(0)}/s, ` +
          `product ${productSample.perSecond.toFixed(0)}/s`,
      );
    }
    return {
      name: entry.name,
      floorName: entry.floorName,
      concurrency,
      floorPerSecond: median(rounds.map((round) => round.floor.perSecond)),
      productPerSecond: median(rounds.map((round) => round.product.perSecond)),
      ratio: median(rounds.map((round) => round.product.perSecond / round.floor.perSecond)),
      ...(entry.target === undefined ? {} : { target: entry.target }),
      p50: median(rounds.map((round) => round.product.p50)),
      p99: median(rounds.map((round) => round.product.p99)),
      rounds: count,
    };
  } finally {
    await close();
  }

  async function turn(what: string, work: Job | Turn, workers: number, durationMs: number): Promise<Sample> {
    await reset?.();
    const sample = await (typeof work === 'function' ? drive(work, workers, durationMs) : work.run(durationMs));
    if (sample.errors.length > 0) {
      throw new FailedRun(
        `${entry.name}: ${sample.errors.length} errors in the ${what}, the first: ${sample.errors[0]}`,
      );
    }
    return sample;
  }
}

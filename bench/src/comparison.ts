import { FailedRun } from './harness';
import { median } from './load';
import { welch } from './statistics';

/** Two kinds of work that must take the same time, because the time would tell a stranger which of them it was. */
export interface ComparisonEntry {
  name: string;
  sides: [string, string];
  prepare(): Promise<ComparisonStage>;
}

export interface ComparisonStage {
  /** Not counted, at the beginning. */
  warmUpRounds: number;
  rounds: number;
  /** The work of both sides in this round, in the order of `sides`. */
  jobs(round: number): [() => Promise<void>, () => Promise<void>];
  close(): Promise<void>;
}

export interface Comparison {
  name: string;
  sides: [string, string];
  /** Milliseconds, in the order of `sides`. */
  medians: [number, number];
  rounds: number;
  t: number;
  degrees: number;
  indistinguishable: boolean;
}

/** Beyond it, equal times would be a chance of one in a hundred. */
const criticalT = 2.58;

/** One after the other, taking turns at going first, so that a noisy neighbour or a warming CPU hits both alike. */
export async function compare(
  entry: ComparisonEntry,
  progress: (line: string) => void,
  now: () => number = () => performance.now(),
): Promise<Comparison> {
  const { warmUpRounds, rounds, jobs, close } = await entry.prepare();
  const times: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < warmUpRounds + rounds; round += 1) {
      const pair = jobs(round);
      for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const begun = now();
        await pair[side]();
        if (round >= warmUpRounds) times[side].push(now() - begun);
      }
      if ((round + 1) % 50 === 0) progress(`${entry.name}: ${round + 1}/${warmUpRounds + rounds}`);
    }
  } catch (error) {
    throw new FailedRun(`${entry.name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await close();
  }
  const { t, degrees } = welch(...times);
  return {
    name: entry.name,
    sides: entry.sides,
    medians: [median(times[0]), median(times[1])],
    rounds,
    t,
    degrees,
    indistinguishable: Math.abs(t) < criticalT,
  };
}

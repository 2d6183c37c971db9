import type { Turn } from './harness';
import type { Sample } from './load';

/** About as many events as fit into the time of a turn, judged by the pace of the turn before. */
export function backlog(drain: (count: number, onStart?: () => void) => Promise<Sample>): Turn {
  let perSecond = 1_000;
  return {
    async run(durationMs, onStart) {
      const sample = await drain(Math.round((perSecond * durationMs) / 1000), onStart);
      perSecond = sample.perSecond;
      return sample;
    },
  };
}

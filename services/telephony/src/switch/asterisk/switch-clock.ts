import type { Logger } from '@sabia/service-kit/logging';

export interface SwitchClock {
  /** `theirs`: Asterisk's time in the response to a request that took from `from` to `to`. */
  compare(theirs: Date, asked: { from: Date; to: Date }): void;
  /** Converts a timestamp of Asterisk to our clock; never later than now. */
  read(theirs: string | Date): Date;
}

/** A slower response says too little about the difference of the clocks. */
const SLOW_MS = 1_000;
/** Clocks that differ by less count as equal: Asterisk's timestamps are then taken as they are. */
const CLOSE_MS = 250;

/**
 * Asterisk's events carry the time of its machine, while credit and due times use ours: a difference of the clocks must neither
 * shorten nor lengthen a call.
 */
export function createSwitchClock({ log, now }: { log: Logger; now: () => Date }): SwitchClock {
  let aheadMs = 0;
  return {
    compare(theirs, { from, to }) {
      if (to.getTime() - from.getTime() > SLOW_MS) {
        return;
      }
      const difference = theirs.getTime() - (from.getTime() + to.getTime()) / 2;
      const known = aheadMs;
      aheadMs = Math.abs(difference) < CLOSE_MS ? 0 : difference;
      if (known === 0 && aheadMs !== 0) {
        log.warn({ aheadMs }, 'the clock of Asterisk differs from ours; its timestamps are corrected');
      }
    },
    read(theirs) {
      const named = typeof theirs === 'string' ? Date.parse(theirs) : theirs.getTime();
      const latest = now().getTime();
      return new Date(Number.isNaN(named) ? latest : Math.min(named - aheadMs, latest));
    },
  };
}

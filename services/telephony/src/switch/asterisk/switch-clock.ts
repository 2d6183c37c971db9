import type { Logger } from '@sabia/service-kit/logging';

export interface SwitchClock {
  /** Asterisk named its time in answer to a request; both other times are ours. */
  compare(theirs: Date, asked: { from: Date; to: Date }): void;
  /** A moment that Asterisk names, by our clock: never one that is still to come. */
  read(theirs: string | Date): Date;
}

/** An answer that took longer says too little about the time at which it was given. */
const SLOW_MS = 1_000;
/** Clocks that are this close count as one: Asterisk's times are then taken to the letter. */
const CLOSE_MS = 250;

/**
 * What happens to a call is told in Asterisk's time, which may be the time of another machine. Credit and due times are reckoned in
 * ours, so a clock that is wrong must neither shorten nor lengthen a call.
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
        log.warn({ aheadMs }, 'the clock of Asterisk and ours differ; its times are corrected by the difference');
      }
    },
    read(theirs) {
      const named = typeof theirs === 'string' ? Date.parse(theirs) : theirs.getTime();
      const latest = now().getTime();
      return new Date(Number.isNaN(named) ? latest : Math.min(named - aheadMs, latest));
    },
  };
}

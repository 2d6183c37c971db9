import type { Database } from '@sabia/service-kit/postgres/database';
import { endWaiting, tellPlaces } from '../storage/waiting-line';

/** What all lines have in common, whatever their calls wait for. */
export interface LineKeeper {
  /** Calls that have waited for too long, or were asked to end, leave their line; returns how many. */
  endOverdue(): Promise<number>;
  /** Tells the timelines of waiting calls their place. Calls that leave within a moment are told nothing. */
  tell(): Promise<void>;
}

export interface LineKeeperOptions {
  database: Database;
  /** A call waits for so long at most. */
  waitSeconds: number;
  now: () => Date;
}

const MOST_ENDED = 500;
const TELL_MS = 1_000;
/** Of each line, the calls that are told when they have moved up. */
const FIRST = 64;
/** Places up to here are told exactly. */
const MOST_COUNTED = 1_000;
const MOST_TOLD = 500;
const causes = { carrier: 'NORMAL_CIRCUIT_CONGESTION', switch: 'SWITCH_CONGESTION' } as const;

export function createLineKeeper({ database, waitSeconds, now }: LineKeeperOptions): LineKeeper {
  let nextTellAt = 0;
  return {
    async endOverdue() {
      let all = 0;
      for (let ended = MOST_ENDED; ended === MOST_ENDED; all += ended) {
        ended = await endWaiting(database, { now: now(), causes, limit: MOST_ENDED });
      }
      return all;
    },
    async tell() {
      const at = now().getTime();
      if (at < nextTellAt) {
        return;
      }
      nextTellAt = at + TELL_MS;
      const joinedBefore = new Date(at + waitSeconds * 1000 - TELL_MS);
      await tellPlaces(database, {
        ...{ now: new Date(at), joinedBefore, first: FIRST, most: MOST_COUNTED, limit: MOST_TOLD },
      });
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LiveCall } from '../../domain/live-call';
import type { Trunk } from '../../domain/trunk';
import { lineOf } from '../../domain/waiting-line';
import type { LeaseTerm } from '../../storage/lease-fence';
import { findAttempt, nextAttempt, rejoinLine } from '../../storage/waiting-line';

export interface Failover {
  /** The attempt that has failed. */
  attempt: number;
  tried: readonly string[];
  /** The trunks that are left, in the order of preference. */
  untried: readonly Trunk[];
  /** False: the call has ended meanwhile. */
  isWanted: () => boolean;
}

/** Returns the name of the trunk of the next attempt; undefined: the call has ended, or another process goes on with it. */
export type NextTrunk = (by: LeaseTerm, call: Pick<LiveCall, 'id'>, failover: Failover) => Promise<string | undefined>;

export interface NextTrunkOptions {
  database: Database;
  /** A call waits for so long at most. */
  waitSeconds: number;
  /** A call has joined the line. */
  onWaiting: () => void;
  now: () => Date;
}

const LOOK_MS = 100;

/** Moves a call on to the next trunk. For one with limits it waits in the line like all others, though at its head. */
export function createNextTrunk({ database, waitSeconds, onWaiting, now }: NextTrunkOptions): NextTrunk {
  return async (by, { id: callId }, { attempt, tried, untried, isWanted }) => {
    const line = lineOf(untried);
    if (line === undefined) {
      const name = untried[0]?.name;
      const isOurs =
        name !== undefined &&
        (await nextAttempt(database, by, { callId, attempt: attempt + 1, tried: [...tried, name] }));
      return isOurs ? name : undefined;
    }
    const until = new Date(now().getTime() + waitSeconds * 1000);
    await rejoinLine(database, by, { callId, attempt, tried: [...tried], line, until });
    onWaiting();
    while (isWanted()) {
      const present = await findAttempt(database, callId);
      if (present === undefined || present.attempt > attempt) {
        return present?.trunks?.at(-1);
      }
      await delay(LOOK_MS);
    }
    return undefined;
  };
}

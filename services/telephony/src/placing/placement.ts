import { unprocessable } from '@sabia/service-kit/errors';
import { newEventId } from '@sabia/service-kit/events/outbox';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable, isResourceShortage } from '@sabia/service-kit/postgres/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import { sampledTraceparent } from '@sabia/service-kit/trace-context';
import type { Billing } from '../clients/billing';
import type { NewCall } from '../domain/call';
import type { TimePolicy } from '../domain/live-call';
import { isPlaced } from '../storage/place-calls';
import { createCallWriter } from './call-writer';
import type { CallKey, CallToWrite, Waiting, WriteOutcome } from './call-writer';
import type { SwitchLoads } from './switch-loads';
import type { Takers } from './taking';

export type CallToPlace = Omit<NewCall, 'id' | 'startedAt' | 'grantedSeconds' | 'traceparent'>;

export interface PlaceOptions {
  key?: CallKey;
  /** Not given: one is made up. */
  id?: string;
  /** The switch that the call began on. Not given: any with room. */
  switchName?: string;
}

export interface Placement {
  /**
   * Once it resolves, the call and its event are committed: the call will end, and its end will be published. Rejects with a
   * DuplicateKeyError if another request with the same key has placed its call; then this one has had no effect.
   */
  place(call: CallToPlace, options?: PlaceOptions): Promise<NewCall>;
}

export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError';
}

export interface PlacementOptions {
  database: Database;
  outbox: Pick<Outbox, 'poke'>;
  billing: Pick<Billing, 'reserve' | 'release'>;
  loads: Pick<SwitchLoads, 'choose'>;
  policy: Pick<TimePolicy, 'ringSeconds'>;
  waiting: Waiting;
  /** Live calls per account, unless it has a limit of its own; 0: no limit. */
  maximumLiveCalls: number;
  log: Logger;
  now: () => Date;
  takers: Takers;
  /** Tells that there is a call to look for, on the switch or in line; not of one that is taken. */
  onPlaced: (switchName: string | undefined) => void;
}

/** Reserves credit for a call and writes it. The driver of the switch is given the call, or looks for it; or the call waits in line. */
export function createPlacement(options: PlacementOptions): Placement {
  const { database, outbox, billing, loads, policy, waiting, maximumLiveCalls, log, now, takers, onPlaced } = options;
  const write = createCallWriter({
    database,
    ringSeconds: policy.ringSeconds,
    waiting,
    maximumLiveCalls,
    takers,
    now,
  });

  /** Gives the credit back if the call is not written. */
  async function writeOrRelease(job: CallToWrite): Promise<WriteOutcome> {
    let outcome: WriteOutcome | undefined;
    let failure: unknown;
    try {
      outcome = await write(job);
    } catch (error) {
      failure = error;
    }
    if (outcome === 'written' || outcome === 'taken') {
      return outcome;
    }
    // A commit may have been lost on its way back: then the retry fails, or is refused because of the call itself.
    const { id, grantedSeconds } = job.call;
    const isThere = await findOut(id);
    if (isThere) {
      return 'written';
    }
    // While the database is away the call may still be committed: then the sweep releases what has no call.
    const isCertain = isThere === false && (!isDatabaseUnavailable(failure) || isResourceShortage(failure));
    if (isCertain && grantedSeconds !== null) {
      await release(id);
    }
    if (outcome === undefined) {
      throw failure;
    }
    return outcome;
  }

  /** Undefined: the database cannot be asked. */
  async function findOut(callId: string): Promise<boolean | undefined> {
    try {
      return await leaveScope(() => isPlaced(database, callId));
    } catch (error) {
      log.warn({ err: error, callId }, 'unknown whether a call was placed; if not, the sweep releases its credit');
      return undefined;
    }
  }

  async function release(callId: string): Promise<void> {
    try {
      await leaveScope(() => billing.release(callId));
    } catch (error) {
      log.warn(
        { err: error, callId },
        'credit of a call that was not placed is not released yet; the sweep will do it',
      );
    }
  }

  return {
    async place(given, { key, id: givenId, switchName = loads.choose() } = {}) {
      const startedAt = now();
      const id = givenId ?? newEventId(startedAt);
      const isPaid = given.type === 'outbound';
      const grantedSeconds = isPaid
        ? await billing.reserve({ callId: id, accountId: given.accountId, destination: given.to })
        : null;
      // Read here, in the scope of the request: the batch that writes the call has none.
      const traceparent = sampledTraceparent() ?? null;
      const call: NewCall = { id, startedAt, grantedSeconds, traceparent, ...given };
      const outcome = await writeOrRelease({ call, key, switchName: switchName ?? null });
      if (outcome === 'duplicate key') {
        throw new DuplicateKeyError('another request with the same key has placed its call');
      }
      if (typeof outcome === 'object') {
        throw unprocessable('TOO_MANY_CALLS', `The account may have at most ${outcome.limit} calls at a time.`);
      }
      outbox.poke();
      if (outcome !== 'taken') onPlaced(switchName);
      return call;
    },
  };
}

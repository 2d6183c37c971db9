import { randomInt } from 'node:crypto';
import { unprocessable } from '@sabia/service-kit/errors';
import { newEventId } from '@sabia/service-kit/events/event-id';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import type { Billing } from '../clients/billing';
import type { NewCall } from '../domain/call';
import type { TimePolicy } from '../domain/live-call';
import { callCreated } from '../events/published';
import { createCoalescer } from '../storage/coalescer';
import { countLiveCalls, insertCalls } from '../storage/place-calls';

export type CallToPlace = Omit<NewCall, 'id' | 'startedAt' | 'grantedSeconds'>;

export interface Placement {
  /** Once it resolves the call and its event are committed: whatever happens now, the call will come to an end that is told. */
  place(call: CallToPlace): Promise<NewCall>;
}

export interface PlacementOptions {
  database: Database;
  outbox: Outbox;
  billing: Pick<Billing, 'reserve' | 'release'>;
  switchName: string;
  policy: TimePolicy;
  /** Calls that an account may have at a time; 0: as many as it likes. */
  maximumLiveCalls: number;
  log: Logger;
  now: () => Date;
  /** Tells whoever drives the switch that there is a call. */
  onPlaced: () => void;
}

const BATCH = 64;
const SHARDS = 16;

export function createPlacement(options: PlacementOptions): Placement {
  const { database, outbox, billing, switchName, policy, maximumLiveCalls, log, now, onPlaced } = options;
  const shard = randomInt(SHARDS);
  const writer = createCoalescer<NewCall, boolean>({ batchSize: BATCH, write });

  async function write(calls: NewCall[]): Promise<boolean[]> {
    const admitted = await admit(calls);
    const placings = calls
      .filter((_, index) => admitted[index])
      .map((call) => ({
        call,
        event: callCreated(call),
        dueAt: new Date(call.startedAt.getTime() + policy.ringSeconds * 1000),
      }));
    if (placings.length > 0) {
      await insertCalls(database, placings, { switchName, shard });
    }
    return admitted;
  }

  /** One batch is written at a time, so that within this process nobody slips past the limit. */
  async function admit(calls: NewCall[]): Promise<boolean[]> {
    if (maximumLiveCalls === 0) {
      return calls.map(() => true);
    }
    const live = await countLiveCalls(database, [...new Set(calls.map(({ accountId }) => accountId))]);
    return calls.map(({ accountId }) => {
      const count = live.get(accountId) ?? 0;
      live.set(accountId, count + 1);
      return count < maximumLiveCalls;
    });
  }

  async function giveBack(callId: string): Promise<void> {
    try {
      await leaveScope(() => billing.release(callId));
    } catch (error) {
      log.warn(
        { err: error, callId },
        'credit of a call that was not placed could not be given back; it expires by itself',
      );
    }
  }

  return {
    async place(given) {
      const startedAt = now();
      const id = newEventId(startedAt);
      const paid = given.type === 'outbound';
      const grantedSeconds = paid
        ? await billing.reserve({ callId: id, accountId: given.accountId, destination: given.to })
        : null;
      const call: NewCall = { ...given, id, startedAt, grantedSeconds };
      let placed: boolean;
      try {
        placed = await writer.add(call);
      } catch (error) {
        // With the database away nobody knows whether it was committed: then the reservation expires, if it was not.
        if (paid && !isDatabaseUnavailable(error)) {
          await giveBack(id);
        }
        throw error;
      }
      if (!placed) {
        if (paid) {
          await giveBack(id);
        }
        throw unprocessable(
          'TOO_MANY_CALLS',
          `The account has ${maximumLiveCalls} calls at the moment, which is its limit.`,
        );
      }
      outbox.poke();
      onPlaced();
      return call;
    },
  };
}

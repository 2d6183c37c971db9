import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { createInbox } from '@sabia/service-kit/events/consumer/inbox';
import type { telephonyEvents } from '@sabia/protos/events/telephony';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import { ServiceError } from '@sabia/service-kit/errors';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { onCallEnded } from '../src/events/on-call-ended';
import type { Collection } from '../src/payments/collection';
import { createHandlers } from '../src/rpc/handlers';
import { callerOf, log } from './stage';
import type { RequestOf, ResponseOf, Rpc, Stage } from './stage';

export type Crash = 'no' | 'before commit' | 'after commit';

/** A replica of billing with connections of its own, which can be made to die in the middle of what it does. */
export interface Worker {
  database: Database;
  collection: Collection;
  call<R extends Rpc>(rpc: R, request: Partial<RequestOf<R>>, caller?: { accountId: number }): Promise<ResponseOf<R>>;
  /** Through an inbox, as the consumer does. */
  deliver(events: ReceivedEvent<typeof telephonyEvents.callEnded>[]): Promise<void>;
  /** Refusals are part of the game; anything unforeseen is not, and neither is a deadlock ("unavailable"). */
  crashing(crash: Crash, work: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

class Died extends Error {}

export function createWorker(stage: Stage, now: () => Date): Worker {
  const real = createDatabase({ url: stage.url, applicationName: 'worker', poolSize: 3, log });
  const inbox = createInbox(real, 'worker');
  let crash: Crash = 'no';

  const dieIf = (when: Crash): void => {
    if (crash === when) {
      crash = 'no';
      throw new Died();
    }
  };
  const database: Database = {
    ...real,
    async query(...parameters) {
      // A statement of its own is its own transaction.
      dieIf('before commit');
      const rows = await real.query(...parameters);
      dieIf('after commit');
      return rows as never;
    },
    async transaction(work) {
      const result = await real.transaction(async (tx) => {
        const done = await work(tx);
        dieIf('before commit');
        return done;
      });
      dieIf('after commit');
      return result;
    },
  };
  const collection: Collection = { ...stage.collection, database, now };
  const metrics = { booked: () => undefined };
  const handlers = createHandlers({
    ...collection,
    collection,
    rates: stage.rates,
    metrics,
    reservationSeconds: 60,
    holdPolicy: { graceSeconds: 300 },
    phoneCountry: 'BR',
  });
  const consumer = onCallEnded({ ...collection, rates: stage.rates, metrics });

  return {
    database,
    collection,
    call(rpc, request, { accountId } = { accountId: 0 }) {
      const handler = handlers[rpc] as (request: unknown, context: unknown) => Promise<never>;
      return handler(request, { caller: callerOf({ accountId }), signal: new AbortController().signal, log });
    },
    async deliver(events) {
      await database.transaction(async (tx) => {
        const fresh = await inbox.record(tx, [...new Set(events.map(({ id }) => id))]);
        const seen = new Set<string>();
        const unseen = events.filter(({ id }) => fresh.has(id) && !seen.has(id) && seen.add(id));
        if (unseen.length > 0) {
          await consumer.handleBatch(unseen, tx);
        }
      });
    },
    async crashing(when, work) {
      crash = when;
      try {
        await work();
      } catch (error) {
        const refused = error instanceof ServiceError && error.kind !== ErrorKind.UNAVAILABLE;
        if (!(error instanceof Died) && !refused) {
          throw error;
        }
      } finally {
        crash = 'no';
      }
    },
    close: () => real.close(),
  };
}

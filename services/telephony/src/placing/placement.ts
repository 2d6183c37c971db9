import { randomInt } from 'node:crypto';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import { unavailable, unprocessable } from '@sabia/service-kit/errors';
import { newEventId } from '@sabia/service-kit/events/event-id';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import { idempotencyKeptMs } from '@sabia/service-kit/idempotency';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable, isResourceShortage, isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import { sampledTraceparent } from '@sabia/service-kit/trace-context';
import type { Billing } from '../clients/billing';
import type { NewCall } from '../domain/call';
import type { Keeping } from '../domain/keeping';
import type { TimePolicy } from '../domain/live-call';
import { callCreated } from '../events/published';
import { keepKeys, listKeptNames } from '../storage/idempotency-keys';
import type { KeyToKeep } from '../storage/idempotency-keys';
import { insertCalls, isPlaced } from '../storage/place-calls';
import { createLiveCallLimit } from './live-call-limit';
import { longestPlacingSeconds } from './reservation-sweep';

export type CallToPlace = Omit<NewCall, 'id' | 'startedAt' | 'grantedSeconds' | 'traceparent'>;

export interface Placement {
  /**
   * Once it resolves the call and its event are committed: whatever happens now, the call will come to an end that is told.
   * Undefined: there is a call of the same idempotency key, and nothing has happened.
   */
  place(call: CallToPlace, keeping?: Keeping<NewCall>): Promise<NewCall | undefined>;
}

interface Job {
  call: NewCall;
  keeping: Keeping<NewCall> | undefined;
}

type Outcome = 'placed' | 'one too many' | 'known by its key';

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
  const admit = createLiveCallLimit({ database, maximum: maximumLiveCalls });
  const writer = createBatcher<Job, Outcome>({ batchSize: BATCH, write });

  const tryToWrite = (jobs: Job[]): Promise<Outcome[]> =>
    admit({
      accountIds: jobs.map(({ call }) => call.accountId),
      inTransaction: jobs.some(({ keeping }) => keeping !== undefined),
      write: (queryable, admitted) => writeAdmitted(queryable, jobs, admitted),
    });

  /** The sweep of reservations gives back what is held for a call that is not there by then. */
  const isTooLate = ({ call }: Job): boolean =>
    now().getTime() - call.startedAt.getTime() > longestPlacingSeconds * 1_000;

  /** A commit whose confirmation got lost is found when it is tried again: the id of the call is in use, by the call itself. */
  async function write(jobs: Job[]): Promise<Outcome[]> {
    if (jobs.some(isTooLate)) {
      throw unavailable('The call could not be written in time.', 1);
    }
    try {
      return await tryToWrite(jobs);
    } catch (error) {
      const [only] = jobs;
      if (jobs.length === 1 && isUniqueViolation(error) && (await isPlaced(database, only!.call.id))) {
        return ['placed'];
      }
      throw error;
    }
  }

  async function writeAdmitted(queryable: Queryable, jobs: Job[], admitted: readonly boolean[]): Promise<Outcome[]> {
    const wanted = jobs.filter((_, index) => admitted[index]);
    const placed = new Set(await insert(queryable, await claim(queryable, wanted)));
    // What filled the account up may be the call of the very same key.
    const known = await thoseKnown(
      queryable,
      jobs.filter((_, index) => !admitted[index]),
    );
    return jobs.map((job, index) => {
      if (placed.has(job)) {
        return 'placed';
      }
      return admitted[index] || known.has(job) ? 'known by its key' : 'one too many';
    });
  }

  /** Those without a key and those whose key is new; of several with one key in a batch, the first. */
  async function claim(queryable: Queryable, jobs: Job[]): Promise<Job[]> {
    const firsts = new Map<string, Job>();
    const keys: KeyToKeep[] = [];
    for (const job of jobs) {
      const { call, keeping } = job;
      const id = keeping?.name.toString('hex');
      if (keeping !== undefined && id !== undefined && !firsts.has(id)) {
        firsts.set(id, job);
        const { name, fingerprint } = keeping;
        const expiresAt = new Date(call.startedAt.getTime() + idempotencyKeptMs);
        keys.push({ name, fingerprint, answer: Buffer.from(keeping.answer(call)), expiresAt });
      }
    }
    const kept = keys.length === 0 ? [] : await keepKeys(queryable, keys);
    const won = new Set(kept.map((name) => firsts.get(name.toString('hex'))));
    return jobs.filter((job) => job.keeping === undefined || won.has(job));
  }

  async function thoseKnown(queryable: Queryable, jobs: Job[]): Promise<Set<Job>> {
    const keyed = jobs.flatMap(({ keeping }) => keeping?.name ?? []);
    const names = keyed.length === 0 ? [] : await listKeptNames(queryable, keyed);
    return new Set(jobs.filter(({ keeping }) => names.some((name) => keeping?.name.equals(name))));
  }

  async function insert(queryable: Queryable, jobs: Job[]): Promise<Job[]> {
    const placings = jobs.map(({ call }) => ({
      call,
      event: callCreated(call),
      dueAt: new Date(call.startedAt.getTime() + policy.ringSeconds * 1000),
    }));
    if (placings.length > 0) {
      await insertCalls(queryable, placings, { switchName, shard });
    }
    return jobs;
  }

  /** Whatever was heard of writing it, and whoever still waits for the answer. Undefined: that cannot be found out. */
  async function findOut(callId: string): Promise<boolean | undefined> {
    try {
      return await leaveScope(() => isPlaced(database, callId));
    } catch (error) {
      log.warn(
        { err: error, callId },
        'nobody knows whether a call was placed; if not, the sweep gives its credit back',
      );
      return undefined;
    }
  }

  async function giveBack(callId: string): Promise<void> {
    try {
      await leaveScope(() => billing.release(callId));
    } catch (error) {
      log.warn(
        { err: error, callId },
        'credit of a call that was not placed could not be given back; the sweep will do it',
      );
    }
  }

  return {
    async place(given, keeping) {
      const startedAt = now();
      const id = newEventId(startedAt);
      const paid = given.type === 'outbound';
      const grantedSeconds = paid
        ? await billing.reserve({ callId: id, accountId: given.accountId, destination: given.to })
        : null;
      // Taken here, in the scope of the request: it may be written together with the calls of others.
      const traceparent = sampledTraceparent() ?? null;
      const call: NewCall = { ...given, id, startedAt, grantedSeconds, traceparent };
      let outcome: Outcome | 'failed';
      let failure: unknown;
      try {
        outcome = await writer.add({ call, keeping });
      } catch (error) {
        outcome = 'failed';
        failure = error;
      }
      if (outcome !== 'placed') {
        const placed = await findOut(id);
        if (placed) {
          outcome = 'placed';
        } else if (placed === false && paid && (!isDatabaseUnavailable(failure) || isResourceShortage(failure))) {
          // With the database away it may be committed yet: then the sweep releases the reservation, if it was not.
          await giveBack(id);
        }
      }
      if (outcome === 'failed') {
        throw failure;
      }
      if (outcome === 'one too many') {
        throw unprocessable(
          'TOO_MANY_CALLS',
          `The account has ${maximumLiveCalls} calls at the moment, which is its limit.`,
        );
      }
      if (outcome === 'known by its key') {
        return undefined;
      }
      outbox.poke();
      onPlaced();
      return call;
    },
  };
}

import { randomInt } from 'node:crypto';
import { unavailable } from '@sabia/service-kit/errors';
import { idempotencyKeptMs } from '@sabia/service-kit/idempotency';
import type { IdempotencyClaim } from '@sabia/service-kit/idempotency';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { NewCall } from '../domain/call';
import type { RouteTo } from '../domain/trunk-route';
import { lineOf } from '../domain/waiting-line';
import { callCreated } from '../events/published';
import { keepKeys, listKeptNames } from '../storage/idempotency-keys';
import type { KeyToKeep } from '../storage/idempotency-keys';
import { countLiveCalls, insertCalls, isPlaced, lockLiveCalls } from '../storage/place-calls';
import type { LiveCalls, Placing } from '../storage/place-calls';
import { openTaking } from './taking';
import type { OpenTaking, Takers } from './taking';

/** An idempotency key that is stored together with the call. */
export interface CallKey extends IdempotencyClaim {
  /** Encodes the response that repetitions of the request get. */
  encodeResponse: (call: NewCall) => Uint8Array;
}

export interface CallToWrite {
  call: NewCall;
  /** The switch that it began on or is to be placed on; null: it waits in line. */
  switchName: string | null;
  key: CallKey | undefined;
}

/** The account has as many calls as it may have. */
export interface OverLimit {
  limit: number;
}

export type WriteOutcome =
  | 'written'
  /** Its driver, in this process, has it already. */
  | 'taken'
  | OverLimit
  /** A request with the same key was faster. */
  | 'duplicate key';

/** Which calls wait for a carrier before they are placed, and for how long. */
export interface Waiting {
  routeTo: RouteTo;
  seconds: number;
}

export interface CallWriterOptions {
  database: Database;
  ringSeconds: number;
  waiting: Waiting;
  /** Live calls per account, unless it has a limit of its own; 0: no limit. */
  maximumLiveCalls: number;
  takers: Takers;
  now: () => Date;
}

/** A call that was requested longer ago is not written any more: by then its reservation may be taken for an orphan. */
export const longestPlacingSeconds = 15;

const BATCH = 64;
const SHARDS = 16;
/** So far below the limit, accounts are not locked: other replicas may add this many calls between the count and the write. */
const MARGIN = 512;

/** Writes calls with their events and keys. Calls that arrive while a batch is being written form the next batch. */
export function createCallWriter(options: CallWriterOptions): (job: CallToWrite) => Promise<WriteOutcome> {
  const { database, ringSeconds, waiting, maximumLiveCalls, takers, now } = options;
  const shard = randomInt(SHARDS);
  const withinLimit = createLiveCallLimit({ database, maximum: maximumLiveCalls });
  const tried = new WeakSet<CallToWrite>();
  const batches = createBatcher<CallToWrite, WriteOutcome>({ batchSize: BATCH, write: writeBatch });

  async function writeBatch(jobs: CallToWrite[]): Promise<WriteOutcome[]> {
    if (jobs.some(isTooLate)) {
      throw unavailable('The call could not be written in time.', 1);
    }
    const [only] = jobs;
    // A commit whose confirmation got lost: the call may be over by now, and final, where its id keeps no other from being current.
    if (jobs.length === 1 && tried.has(only!) && (await isPlaced(database, only!.call.id))) {
      return ['written'];
    }
    // Not where an earlier try may still commit.
    const taking = jobs.some((job) => tried.has(job)) ? undefined : openTaking({ takers, ringSeconds, now });
    for (const job of jobs) tried.add(job);
    let written: { outcomes: WriteOutcome[]; taken: string[] };
    try {
      written = await withinLimit({
        accountIds: jobs.map(({ call }) => call.accountId),
        inTransaction: jobs.some(({ key }) => key !== undefined),
        write: (queryable, limits) => writeAdmitted(queryable, { jobs, limits, taking }),
      });
    } catch (error) {
      taking?.fail();
      // The same, of a commit that came to its end only now: the id is taken by the call itself.
      if (jobs.length === 1 && isUniqueViolation(error) && (await isPlaced(database, only!.call.id))) {
        return ['written'];
      }
      throw error;
    }
    const given = taking?.end(written.taken);
    return written.outcomes.map((outcome, index) => (given?.has(jobs[index]!.call.id) ? 'taken' : outcome));
  }

  const isTooLate = ({ call }: CallToWrite): boolean =>
    now().getTime() - call.startedAt.getTime() > longestPlacingSeconds * 1_000;

  async function writeAdmitted(
    queryable: Queryable,
    { jobs, limits, taking }: { jobs: CallToWrite[]; limits: Limits; taking?: OpenTaking },
  ): Promise<{ outcomes: WriteOutcome[]; taken: string[] }> {
    const withinLimit = jobs.filter((_, index) => limits[index] === undefined);
    const beyondLimit = jobs.filter((_, index) => limits[index] !== undefined);
    const claimed = await claimKeys(queryable, withinLimit);
    const placings = [...claimed].map(toPlacing);
    const marked = taking?.mark(placings) ?? placings;
    const taken = marked.length === 0 ? [] : await insertCalls(queryable, marked, { shard });
    // The account may be full because of the call that another request with the same key has placed.
    const known = await findKnownKeys(queryable, beyondLimit);
    const outcomes = jobs.map((job, index): WriteOutcome => {
      if (claimed.has(job)) return 'written';
      const limit = limits[index];
      return limit === undefined || known.has(job) ? 'duplicate key' : { limit };
    });
    return { outcomes, taken };
  }

  function toPlacing({ call, switchName }: CallToWrite): Placing {
    const line = call.type === 'outbound' ? lineOf(waiting.routeTo(call.to)) : undefined;
    return {
      call,
      // A call that waits for a carrier gets a switch when it has one, unless it began on a switch.
      switchName: line === undefined || call.aChannel !== null ? switchName : null,
      event: callCreated(call),
      dueAt: secondsAfter(call.startedAt, ringSeconds),
      taken: undefined,
      waiting: line === undefined ? undefined : { line, until: secondsAfter(call.startedAt, waiting.seconds) },
    };
  }

  return (job) => batches.add(job);
}

const secondsAfter = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1000);

/** Returns the jobs without a key and those whose key is new; of several jobs with one key, the first. */
async function claimKeys(queryable: Queryable, jobs: CallToWrite[]): Promise<Set<CallToWrite>> {
  const firsts = new Map<string, CallToWrite>();
  const keys: KeyToKeep[] = [];
  for (const job of jobs) {
    const { call, key } = job;
    if (key !== undefined && !firsts.has(nameOf(key))) {
      firsts.set(nameOf(key), job);
      keys.push({
        name: key.name,
        fingerprint: key.fingerprint,
        answer: Buffer.from(key.encodeResponse(call)),
        expiresAt: new Date(call.startedAt.getTime() + idempotencyKeptMs),
      });
    }
  }
  const kept = keys.length === 0 ? [] : await keepKeys(queryable, keys);
  const winners = new Set(kept.map((name) => firsts.get(name.toString('hex'))));
  return new Set(jobs.filter((job) => job.key === undefined || winners.has(job)));
}

async function findKnownKeys(queryable: Queryable, jobs: CallToWrite[]): Promise<Set<CallToWrite>> {
  const wanted = jobs.flatMap(({ key }) => key?.name ?? []);
  const names = wanted.length === 0 ? [] : await listKeptNames(queryable, wanted);
  return new Set(jobs.filter(({ key }) => names.some((name) => key?.name.equals(name))));
}

const nameOf = (key: CallKey): string => key.name.toString('hex');

/** For each call the limit that keeps it from being written, if there is one. */
type Limits = readonly (number | undefined)[];

interface LimitedWrite<Result> {
  /** One for each call to write. */
  accountIds: readonly number[];
  /** More than one statement is to be written. */
  inTransaction: boolean;
  write: (queryable: Queryable, limits: Limits) => Promise<Result>;
}

/** Writes calls within the limit of live calls per account, which holds over all replicas. 0: no limit. */
function createLiveCallLimit({ database, maximum }: { database: Database; maximum: number }) {
  return async function withinLimit<Result>(request: LimitedWrite<Result>): Promise<Result> {
    const { accountIds, inTransaction, write } = request;
    const accounts = [...new Set(accountIds)];
    const calls = await countLiveCalls(database, accounts, maximum);
    const crowded = accounts.filter((id) => isCrowded(calls.get(id)!));
    if (crowded.length === 0 && !inTransaction) {
      return write(database, reachedLimits(accountIds, calls));
    }
    return database.transaction(async (tx) => {
      if (crowded.length > 0) await lockLiveCalls(tx, crowded);
      const counted = crowded.length > 0 ? await countLiveCalls(tx, accounts, maximum) : calls;
      return write(tx, reachedLimits(accountIds, counted));
    });
  };
}

const isCrowded = ({ live, maximum }: LiveCalls): boolean => maximum !== 0 && live + MARGIN > maximum;

/** For each call the limit of its account if that is reached, undefined if the call is admitted. First come, first served. */
export function reachedLimits(
  accountIds: readonly number[],
  calls: ReadonlyMap<number, LiveCalls>,
): (number | undefined)[] {
  const admitted = new Map<number, number>();
  return accountIds.map((id) => {
    const { live, maximum } = calls.get(id)!;
    const added = admitted.get(id) ?? 0;
    if (maximum !== 0 && live + added >= maximum) return maximum;
    admitted.set(id, added + 1);
    return undefined;
  });
}

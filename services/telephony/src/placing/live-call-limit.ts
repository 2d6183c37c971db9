import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { countLiveCalls, lockLiveCalls } from '../storage/place-calls';

/** So far below the limit, accounts are not locked: other replicas may add this many calls between the count and the write. */
const MARGIN = 512;

export interface LimitedWrite<Result> {
  /** One for each call to write. */
  accountIds: readonly number[];
  /** More than one statement is to be written. */
  inTransaction: boolean;
  write: (queryable: Queryable, admitted: readonly boolean[]) => Promise<Result>;
}

/** Writes calls within the limit of live calls per account, which holds over all replicas. 0: no limit. */
export function createLiveCallLimit({ database, maximum }: { database: Database; maximum: number }) {
  return async function withinLimit<Result>(request: LimitedWrite<Result>): Promise<Result> {
    const { accountIds, inTransaction, write } = request;
    const accounts = maximum === 0 ? [] : [...new Set(accountIds)];
    const live = accounts.length === 0 ? new Map<number, number>() : await countLiveCalls(database, accounts);
    const crowded = accounts.filter((id) => (live.get(id) ?? 0) + MARGIN > maximum);
    if (crowded.length === 0 && !inTransaction) {
      return write(database, admittedOf(accountIds, live, maximum));
    }
    return database.transaction(async (tx) => {
      if (crowded.length > 0) await lockLiveCalls(tx, crowded);
      const counted = crowded.length > 0 ? await countLiveCalls(tx, accounts) : live;
      return write(tx, admittedOf(accountIds, counted, maximum));
    });
  };
}

/** First come, first served. */
export function admittedOf(
  accountIds: readonly number[],
  live: ReadonlyMap<number, number>,
  maximum: number,
): boolean[] {
  const counts = new Map(live);
  return accountIds.map((id) => {
    const count = counts.get(id) ?? 0;
    if (maximum !== 0 && count >= maximum) return false;
    counts.set(id, count + 1);
    return true;
  });
}

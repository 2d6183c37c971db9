import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { countLiveCalls, lockLiveCalls } from '../storage/place-calls';

/** Far enough from the limit, calls are counted and added without anybody waiting: so many may be added by others meanwhile. */
const MARGIN = 512;

export interface Admission<Result> {
  /** Of each call. */
  accountIds: readonly number[];
  /** There is more to write than one statement. */
  inTransaction: boolean;
  write: (queryable: Queryable, admitted: readonly boolean[]) => Promise<Result>;
}

/** How many calls an account may have at a time, whichever replica places them. 0: as many as it likes. */
export function createLiveCallLimit({ database, maximum }: { database: Database; maximum: number }) {
  return async function admit<Result>({ accountIds, inTransaction, write }: Admission<Result>): Promise<Result> {
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

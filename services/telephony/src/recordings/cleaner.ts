import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { shorterOf } from '../domain/retention';
import {
  deleteOlderThan,
  forgetRemoved,
  listAccountsWithRecordings,
  listUnremoved,
} from '../storage/recording-retention';
import type { RecordingsOfAccount, Unremoved } from '../storage/recording-retention';
import type { RecordingStore } from './store';

export interface CleanerOptions {
  database: Database;
  store: Pick<RecordingStore, 'remove'>;
  /** For accounts without a number of their own; 0: recordings are kept for ever. */
  retentionDays: number;
  /** No recording outlasts its call; 0: calls are kept for ever. */
  callRetentionDays: number;
  log: Logger;
  now: () => Date;
}

const ACCOUNTS = 1000;
const DELETING = 200;
const REMOVING = 20;
const DAY_MS = 86_400_000;

/**
 * Removes recordings older than the retention time of their account in two steps: first they are deleted for all readers, then
 * removed from the store, with as many tries as that takes. Several replicas may do this at the same time.
 */
export function createRecordingCleaner(options: CleanerOptions): (signal?: AbortSignal) => Promise<void> {
  const { database, store, retentionDays, callRetentionDays, log, now } = options;

  async function deleteExpired(
    { accountId, oldest, ownDays }: RecordingsOfAccount,
    signal?: AbortSignal,
  ): Promise<void> {
    const days = shorterOf(ownDays ?? retentionDays, callRetentionDays);
    const before = new Date(now().getTime() - days * DAY_MS);
    let isMore = days > 0 && oldest < before;
    while (isMore && !signal?.aborted) {
      isMore = (await deleteOlderThan(database, { accountId, before, now: now(), limit: DELETING })) === DELETING;
    }
  }

  async function deleteAllExpired(signal?: AbortSignal): Promise<void> {
    let after = 0;
    let accounts: RecordingsOfAccount[];
    do {
      accounts = await listAccountsWithRecordings(database, { after, limit: ACCOUNTS });
      for (const account of accounts) {
        await deleteExpired(account, signal);
        after = account.accountId;
      }
    } while (accounts.length === ACCOUNTS && !signal?.aborted);
  }

  async function remove(batch: Unremoved[]): Promise<void> {
    const outcomes = await Promise.allSettled(batch.map(({ callId }) => store.remove(callId)));
    const removed = batch.filter((_, index) => outcomes[index]!.status === 'fulfilled');
    await forgetRemoved(
      database,
      removed.map(({ callId }) => callId),
      now(),
    );
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) {
      const left = batch.length - removed.length;
      log.warn(
        { err: failure.reason as unknown, left },
        'deleted recordings are still in the store, trying again later',
      );
    }
  }

  return async (signal) => {
    await deleteAllExpired(signal);
    // A recording that cannot be removed does not hold up the others.
    let after: Unremoved | undefined;
    while (!signal?.aborted) {
      const batch = await listUnremoved(database, { after, limit: REMOVING });
      await remove(batch);
      if (batch.length < REMOVING) return;
      after = batch.at(-1);
    }
  };
}

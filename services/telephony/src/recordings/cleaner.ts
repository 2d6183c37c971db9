import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteOlderThan, listUnremoved, markRemoved } from '../storage/recordings';
import type { Unremoved } from '../storage/recordings';
import type { RecordingStore } from './store';

export interface CleanerOptions {
  database: Database;
  store: Pick<RecordingStore, 'remove'>;
  /** 0: recordings are kept for ever. */
  retentionDays: number;
  log: Logger;
  now: () => Date;
}

const DELETING = 200;
const REMOVING = 20;
const DAY_MS = 86_400_000;

/**
 * Removes recordings older than the retention time in two steps: first they are deleted for all readers, then removed from the
 * store, with as many tries as that takes. Several replicas may do this at the same time.
 */
export function createRecordingCleaner(options: CleanerOptions): (signal?: AbortSignal) => Promise<void> {
  const { database, store, retentionDays, log, now } = options;

  async function remove(batch: Unremoved[]): Promise<void> {
    const outcomes = await Promise.allSettled(batch.map(({ callId }) => store.remove(callId)));
    const removed = batch.filter((_, index) => outcomes[index]!.status === 'fulfilled');
    await markRemoved(
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
    const bound = new Date(now().getTime() - retentionDays * DAY_MS);
    while (retentionDays > 0 && (await deleteOlderThan(database, bound, now(), DELETING)) === DELETING) {
      if (signal?.aborted) return;
    }
    // A recording that cannot be removed does not hold up the others.
    let after: Unremoved | undefined;
    do {
      const batch = await listUnremoved(database, { after, limit: REMOVING });
      await remove(batch);
      after = batch.length === REMOVING ? batch.at(-1) : undefined;
    } while (after !== undefined && !signal?.aborted);
  };
}

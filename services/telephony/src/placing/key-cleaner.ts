import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteExpiredKeys } from '@sabia/service-kit/postgres/idempotency-keys';

const BATCH = 500;

/** Deletes expired idempotency keys, in batches. */
export function createKeyCleaner({ database, now }: { database: Database; now: () => Date }) {
  return async (signal?: AbortSignal): Promise<void> => {
    while ((await deleteExpiredKeys(database, now(), BATCH)) === BATCH) {
      if (signal?.aborted) return;
    }
  };
}

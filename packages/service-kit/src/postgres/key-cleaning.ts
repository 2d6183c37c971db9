import type { PeriodicWorkOptions } from '../work/periodic-work';
import { deleteExpiredKeys } from './idempotency-keys';
import type { Queryable } from './queryable';

const atOnce = 500;

/** Periodic work that deletes expired idempotency keys, in batches. */
export function keyCleaning({
  database,
  now,
}: {
  database: Queryable;
  now: () => Date;
}): Omit<PeriodicWorkOptions, 'log'> {
  return {
    name: 'expired idempotency keys',
    everyMs: 600_000,
    work: async () => (await deleteExpiredKeys(database, now(), atOnce)) === atOnce,
  };
}

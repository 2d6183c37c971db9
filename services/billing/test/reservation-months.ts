import type { Database } from '@sabia/service-kit/postgres/database';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { eventually } from '@sabia/testkit/eventually';
import { createPartitionKeeper } from '../src/partition-keeper';
import { log } from './stage';

/** The partition of a month. */
export const nameOf = (month: Date): string => `reservations_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/** Tries again until no month was in use, for which the service waits until the next time. */
export function keep(database: Database, now: Date, reservationRetentionDays = 400): Promise<true> {
  const keepOnce = createPartitionKeeper({ database, reservationRetentionDays, log, now: () => now });
  return eventually(() => keepOnce().then(() => true as const));
}

/** As if the installation had been partitioned so many months before that moment. Before there are any reservations. */
export async function beginMonthsAgo(database: Database, months: number, now: Date): Promise<void> {
  await database.query('ALTER TABLE reservations DETACH PARTITION reservations_before');
  await database.query(
    `ALTER TABLE reservations ATTACH PARTITION reservations_before
     FOR VALUES FROM (MINVALUE) TO ('${firstIdOf(monthFrom(now, -months))}')`,
  );
  await keep(database, now, 36_500);
}

/** By name. */
export async function partitionsOf(database: Database, table = 'reservations'): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1',
    [table],
  );
  return rows.map(({ name }) => name);
}

import type { Database } from '@sabia/service-kit/postgres/database';
import { eventually } from '@sabia/testkit/eventually';
import { createPartitionKeeper } from '../../src/partition-keeper';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { silent } from '../stage';

const now = new Date();

/** The 15th of a month, before or after this one: the day is within the month in any time zone. */
export const inMonth = (months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15, 12));

type Table = 'calls' | 'recordings';

/** The partition of that month. */
export const nameOf = (month: Date, table: Table = 'calls'): string =>
  `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/** The first partition, which is the only one so far, ends there. */
export async function endFirstPartition(sql: Database, end: Date, table: Table = 'calls'): Promise<void> {
  const parent = table === 'calls' ? 'calls_final' : table;
  await sql.query(`ALTER TABLE ${parent} DETACH PARTITION ${table}_before`);
  await sql.query(
    `ALTER TABLE ${parent} ATTACH PARTITION ${table}_before FOR VALUES FROM (MINVALUE) TO ('${firstIdOf(end)}')`,
  );
}

/** As if the installation had been partitioned so many months ago. Before there are any calls. */
export async function beginMonthsAgo(sql: Database, months: number): Promise<void> {
  await endFirstPartition(sql, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
  await keeperOf(sql)();
}

type Retention = { calls?: number; timelines?: number };

/** Gives up on a month that is in use, as the service does until the next time. */
export const hastyKeeperOf = (database: Database, retention: Retention = {}, at = now) => {
  const { calls: callRetentionDays = 0, timelines: timelineRetentionDays = 0 } = retention;
  return createPartitionKeeper({ database, callRetentionDays, timelineRetentionDays, log: silent, now: () => at });
};

/** Tries again until no month was in use. */
export const keeperOf = (...given: Parameters<typeof hastyKeeperOf>) => {
  const keep = hastyKeeperOf(...given);
  return async (): Promise<void> => {
    await eventually(() => keep().then(() => true));
  };
};

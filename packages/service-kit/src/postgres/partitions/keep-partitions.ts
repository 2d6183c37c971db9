import type { Logger } from '../../logging';
import type { Database } from '../database';
import { dropPartitions } from './drop-partitions';
import type { Dropping } from './drop-partitions';
import { makePartitions } from './make-partitions';
import type { PartitionedTable } from './make-partitions';

export interface PartitionWork {
  /** Makes the partitions of the months to come. */
  make(table: PartitionedTable): Promise<void>;
  /** Drops the months that are over. */
  drop(table: PartitionedTable, dropping: Dropping): Promise<void>;
  /** The moment so many days ago. With 0 days no month is over; what was begun before that was configured is finished. */
  before(days: number): Date;
}

/** So long nobody needs to look after the tables: also a release that does not know of partitions can run. */
const MONTHS_AHEAD = 6;
const DAY_MS = 86_400_000;

/** What a service does for its partitioned tables, and says so. */
export function createPartitionWork(options: { database: Database; log: Logger; now: () => Date }): PartitionWork {
  const { database, log, now } = options;
  return {
    async make(table) {
      const partitions = await makePartitions(database, table, { now: now(), months: MONTHS_AHEAD });
      if (partitions.length > 0) log.info({ partitions }, 'partitions of the months to come are made');
    },
    async drop(table, dropping) {
      const partitions = await dropPartitions(database, table, dropping);
      if (partitions.length > 0) log.info({ partitions }, 'partitions whose time is over are dropped');
    },
    before: (days) => new Date(days === 0 ? 0 : now().getTime() - days * DAY_MS),
  };
}

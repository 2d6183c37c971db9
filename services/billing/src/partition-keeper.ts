import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPartitionWork } from '@sabia/service-kit/postgres/partitions/keep-partitions';
import { makeLedgerRanges } from './storage/ledger-ranges';
import { hasNoHolds, reservationTable, returnHolds } from './storage/reservation-months';

export interface PartitionKeeperOptions {
  database: Database;
  reservationRetentionDays: number;
  log: Logger;
  now: () => Date;
}

/**
 * Makes the partitions of the movements and months to come, and drops months of reservations whose time is over. Movements of money stay
 * in the ledger, which also refuses to book a call a second time.
 */
export function createPartitionKeeper(options: PartitionKeeperOptions): () => Promise<void> {
  const { database, reservationRetentionDays, log } = options;
  const { make, drop, before } = createPartitionWork(options);

  return async () => {
    const ranges = await makeLedgerRanges(database);
    if (ranges.length > 0) log.info({ ranges }, 'ranges of the movements to come are made');
    await make(reservationTable);
    await drop(reservationTable, {
      before: before(reservationRetentionDays),
      prepare: (partition) => hasNoHolds(database, partition),
      conclude: returnHolds,
    });
  };
}

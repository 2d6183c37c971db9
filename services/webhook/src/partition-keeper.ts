import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Partition } from '@sabia/service-kit/postgres/partitions/make-partitions';
import { createPartitionWork } from '@sabia/service-kit/postgres/partitions/keep-partitions';
import { latestDays } from './storage/delivery-id';
import { findReceiverInWait, forgetDead, forgetStragglers } from './storage/delivery-retention';

/** From when they are made; they go with their month. */
const keptDays = 30;
/** So much longer a month is kept for what is still to be sent. Nothing is tried for that long: it cannot be sent. */
const patienceDays = 30;

/** Room for the results of attempts on the page of the delivery; see docs/performance.md. */
const deliveryLog = { name: 'delivery_log', fillfactor: 45 };

/** Makes the partitions of the months to come, and drops months whose time is over. */
export function createPartitionKeeper(options: { database: Database; log: Logger; now: () => Date }) {
  const { make, drop, before } = createPartitionWork(options);

  async function prepare(month: Partition): Promise<boolean> {
    const integration = await findReceiverInWait(options.database, month);
    if (integration !== undefined) {
      if (month.until > before(keptDays + latestDays + patienceDays)) return false;
      const words = 'deliveries that could not be sent go with their month';
      options.log.warn({ integration, month: month.name }, words);
    }
    await forgetDead(options.database, month);
    return true;
  }

  return async (): Promise<void> => {
    await make(deliveryLog);
    await drop(deliveryLog, {
      // The id of a delivery has the time of its event, which may be earlier.
      before: before(keptDays + latestDays),
      prepare,
      conclude: forgetStragglers,
    });
  };
}

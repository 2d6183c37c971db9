import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPartitionWork } from '@sabia/service-kit/postgres/partitions/keep-partitions';
import { shorterOf } from './domain/retention';
import { discountCalls, finishPriced, forgetCalls, hasNoAudio } from './storage/call-retention';

export interface PartitionKeeperOptions {
  database: Database;
  /** How long calls are kept; 0: for ever. */
  callRetentionDays: number;
  /** How long their timelines are kept, which go with the calls at the latest; 0: for ever. */
  timelineRetentionDays: number;
  log: Logger;
  now: () => Date;
}

/** A recording adds its link. */
const calls = { name: 'calls_final', prefix: 'calls', fillfactor: 85 };
const recordings = { name: 'recordings', fillfactor: 100 };
const timeline = { name: 'call_timeline', fillfactor: 100 };

/** Makes the partitions of the months to come, sees to it that calls with a price are in theirs, and drops months whose time is over. */
export function createPartitionKeeper(options: PartitionKeeperOptions): () => Promise<void> {
  const { database, callRetentionDays, log } = options;
  const timelineRetentionDays = shorterOf(options.timelineRetentionDays, callRetentionDays);
  const { make, drop, before } = createPartitionWork(options);

  return async () => {
    for (const table of [calls, recordings, timeline]) await make(table);
    await finishPriced(database).catch((err: unknown) =>
      log.error({ err }, 'calls with a price are not in their months yet'),
    );
    await drop(timeline, { before: before(timelineRetentionDays) });
    // Rows of recordings go one by one, when their account says so. A month is dropped once nothing of it is kept.
    await drop(recordings, { before: before(1), prepare: (partition) => hasNoAudio(database, partition) });
    await drop(calls, {
      before: before(callRetentionDays),
      prepare: (partition) => forgetCalls(database, partition),
      conclude: discountCalls,
    });
  };
}

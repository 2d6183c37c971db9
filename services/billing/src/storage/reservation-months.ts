import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isOutsidePartitions } from '@sabia/service-kit/postgres/errors';
import type { Partition, PartitionedTable } from '@sabia/service-kit/postgres/partitions/make-partitions';
import { momentOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { CallOutOfTime } from '../domain/reservation';

/** Rows are updated while calls last, and stay on their page. */
export const reservationTable: PartitionedTable = { name: 'reservations', fillfactor: 80 };

/** Waits for a statement that adds reservations. */
export async function explainMissingMonth<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!isOutsidePartitions(error, reservationTable.name)) {
      throw error;
    }
    const [callId = ''] = /[0-9a-f-]{36}/.exec((error as { detail?: string }).detail ?? '') ?? [];
    throw new CallOutOfTime(callId, momentOf(callId));
  }
}

/** Whether no call of the partition holds credit. */
export async function hasNoHolds(queryable: Queryable, { name }: Partition): Promise<boolean> {
  const open = await queryable.query(`SELECT FROM ${name} WHERE state = 'open' LIMIT 1`);
  return open.length === 0;
}

/**
 * Looks for holds that were made after `hasNoHolds` had looked, in a table that nobody writes to any more; what is returned gives them
 * back to their accounts.
 */
export async function returnHolds(queryable: Queryable, name: string): Promise<(tx: Queryable) => Promise<void>> {
  const held = await queryable.query<{ account_id: number; amount: string }>(
    `SELECT account_id, sum(amount) AS amount FROM ${name} WHERE state = 'open' GROUP BY account_id`,
  );
  return async (tx) => {
    await tx.query(
      `UPDATE balances b SET reserved = reserved - held.amount
       FROM unnest($1::bigint[], $2::numeric[]) AS held (account_id, amount) WHERE b.account_id = held.account_id`,
      [held.map(({ account_id }) => account_id), held.map(({ amount }) => amount)],
    );
  };
}

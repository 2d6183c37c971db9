import type { Queryable } from '@sabia/service-kit/postgres/database';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import type { Partition } from '@sabia/service-kit/postgres/partitions/make-partitions';

/** The counter of an account that is written here alone, so that nobody who places a call waits for it. */
const SHARD = -1;

/** Audio that was not fetched so long after it was due is on a node that will not come back. */
const FETCHED_WITHIN = `interval '7 days'`;

/** So many rows are moved, deleted or counted by one statement, which takes less than a second. */
const [MOVED, DELETED, COUNTED] = [2_000, 5_000, 100_000];
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Whether all calls of this partition and of those before have ended, and their audio is neither in the store nor on a switch. */
export async function hasNoAudio(queryable: Queryable, { until }: Partition): Promise<boolean> {
  const recording = 'SELECT FROM recordings WHERE call_id < $1::uuid AND';
  // Each is a look into an index that holds nothing else.
  const [needed] = await queryable.query(
    `SELECT WHERE EXISTS (SELECT FROM live_calls WHERE call_id < $1::uuid)
       OR EXISTS (${recording} recorded_at IS NOT NULL AND deleted_at IS NULL)
       OR EXISTS (${recording} deleted_at IS NOT NULL AND removed_at IS NULL)
       OR EXISTS (${recording} fetch_at > now() - ${FETCHED_WITHIN})
       OR EXISTS (${recording} drop_at > now() - ${FETCHED_WITHIN})`,
    [firstIdOf(until)],
  );
  return needed === undefined;
}

/** Calls that a replica of the former release has priced did not become final with it. Replicas may do so at the same time. */
export async function finishPriced(queryable: Queryable): Promise<void> {
  await finish(queryable, 'call_price IS NOT NULL');
}

async function finish(queryable: Queryable, condition: string, values: unknown[] = []): Promise<void> {
  for (let count = MOVED; count === MOVED;) {
    const moved = await queryable.query(
      `UPDATE calls SET is_final = true
       WHERE NOT is_final AND id = ANY (ARRAY(
         SELECT id FROM calls_current WHERE ${condition} ORDER BY id LIMIT ${MOVED} FOR UPDATE SKIP LOCKED
       )) RETURNING id`,
      values,
    );
    count = moved.length;
  }
}

/**
 * What knows of the calls of a partition forgets them, and those that never got a price join it. False: some still last, or there is
 * audio of them. May be repeated.
 */
export async function forgetCalls(queryable: Queryable, partition: Partition): Promise<boolean> {
  if (!(await hasNoAudio(queryable, partition))) {
    return false;
  }
  await finish(queryable, 'id < $1::uuid', [firstIdOf(partition.until)]);
  for (const table of ['recordings', 'unsettled_calls'] as const) {
    await deleteUntil(queryable, table, firstIdOf(partition.until));
  }
  return true;
}

async function deleteUntil(queryable: Queryable, table: 'recordings' | 'unsettled_calls', end: string): Promise<void> {
  let from: string | undefined = BEFORE_ALL;
  while (from !== undefined) {
    const isWithin = 'call_id >= $1::uuid AND call_id < $2::uuid';
    const [last]: { id: string }[] = await queryable.query(
      `WITH old AS MATERIALIZED (
         SELECT call_id FROM ${table} WHERE ${isWithin} ORDER BY call_id LIMIT ${DELETED}
       ), gone AS (
         DELETE FROM ${table} WHERE call_id = ANY (ARRAY(SELECT call_id FROM old)) AND ${isWithin}
       )
       SELECT call_id AS id FROM old ORDER BY call_id OFFSET ${DELETED - 1}`,
      [from, end],
    );
    from = last?.id;
  }
}

/** Counts the calls of a table that nobody writes to any more; what is returned takes them from the totals of their accounts. */
export async function discountCalls(
  queryable: Queryable,
  table: string,
): Promise<(queryable: Queryable) => Promise<void>> {
  const counts = new Map<number, number>();
  let [last, counted] = [{ accountId: 0, id: BEFORE_ALL }, COUNTED];
  while (counted === COUNTED) {
    const rows = await queryable.query<{ accountId: number; calls: number; id: string }>(
      `WITH chunk AS MATERIALIZED (
         SELECT account_id, id FROM ${table} WHERE (account_id, id) > ($1::bigint, $2::uuid) ORDER BY account_id, id LIMIT ${COUNTED}
       )
       SELECT account_id AS "accountId", count(*) AS calls, (SELECT id FROM chunk ORDER BY account_id DESC, id DESC LIMIT 1) AS id
       FROM chunk GROUP BY account_id ORDER BY account_id`,
      [last.accountId, last.id],
    );
    for (const { accountId, calls } of rows) counts.set(accountId, (counts.get(accountId) ?? 0) + calls);
    counted = rows.reduce((sum, { calls }) => sum + calls, 0);
    last = rows.at(-1) ?? last;
  }
  return async (tx) => {
    await tx.query(
      `INSERT INTO call_counters AS known (account_id, shard, total)
       SELECT account_id, $1::smallint, -calls FROM unnest($2::bigint[], $3::bigint[]) AS gone (account_id, calls)
       ON CONFLICT (account_id, shard) DO UPDATE SET total = known.total + excluded.total`,
      [SHARD, [...counts.keys()], [...counts.values()]],
    );
  };
}

import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Partition } from '@sabia/service-kit/postgres/partitions/make-partitions';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';

const chunk = 5_000;

/** The receiver of a delivery of the month, or of one before, that is still to be sent. */
export async function findReceiverInWait(
  db: Queryable,
  { until }: Pick<Partition, 'until'>,
): Promise<number | undefined> {
  const [open] = await db.query<{ id: number }>(
    'SELECT integration_id AS id FROM delivery_queue WHERE delivery_id < $1 LIMIT 1',
    [firstIdOf(until)],
  );
  return open?.id;
}

/** Forgets which deliveries of the month, and of those before, are dead, in short transactions. */
export async function forgetDead(db: Queryable, { until }: Pick<Partition, 'until'>): Promise<void> {
  const end = firstIdOf(until);
  let forgotten = chunk;
  while (forgotten === chunk) {
    const rows = await db.query(
      `DELETE FROM dead_deliveries WHERE delivery_id = ANY (ARRAY(
         SELECT delivery_id FROM dead_deliveries WHERE delivery_id < $1 ORDER BY delivery_id LIMIT ${chunk}
       ))
       RETURNING 1`,
      [end],
    );
    forgotten = rows.length;
  }
}

/** What is still to be sent, and what a replay that was under way has done to deliveries of the month meanwhile: they go with it. */
export async function forgetStragglers(session: Queryable, month: string) {
  const [newest] = await session.query<{ id: string }>(`SELECT id FROM ${month} ORDER BY id DESC LIMIT 1`);
  return async (tx: Queryable): Promise<void> => {
    for (const table of newest === undefined ? [] : ['delivery_queue', 'dead_deliveries']) {
      await tx.query(`DELETE FROM ${table} WHERE delivery_id <= $1`, [newest!.id]);
    }
  };
}

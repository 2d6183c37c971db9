import type { Queryable } from '@sabia/service-kit/postgres/database';

const chunk = 1_000;

/** With their keys; the queue first, so that nothing more of it is sent. */
const tables = [
  { name: 'delivery_queue', key: 'delivery_id' },
  { name: 'dead_deliveries', key: 'delivery_id' },
  { name: 'delivery_log', key: 'id' },
  { name: 'unmatched_events', key: 'id' },
];

/*
 * No rows are inserted for a deleted integration, so that one without rows stays without. Several replicas may do this at once:
 * each skips the rows that another has locked.
 */
const statements = tables.map(
  ({ name, key }) => `
  WITH gone AS (
    DELETE FROM ${name} WHERE ${key} = ANY (ARRAY(
      SELECT ${key} FROM ${name} WHERE integration_id = $1 LIMIT ${chunk} FOR UPDATE SKIP LOCKED
    ))
    RETURNING 1
  )
  SELECT count(*) AS count FROM gone`,
);

const isLeft = tables.map(({ name }) => `EXISTS (SELECT FROM ${name} WHERE integration_id = $1)`).join(' OR ');

/** Deletes the rows of a deleted integration in chunks, each a short transaction of its own, until the signal aborts. */
export async function removeLeftovers(db: Queryable, id: number, signal: AbortSignal): Promise<void> {
  for (const text of statements) {
    let removed = chunk;
    while (removed === chunk) {
      if (signal.aborted) {
        return;
      }
      const [row] = await db.query<{ count: number }>(text, [id]);
      removed = row?.count ?? 0;
    }
  }
  // Rows that another transaction has locked are left, and so is the note that they exist.
  await db.query(`DELETE FROM deleted_integrations WHERE id = $1 AND NOT (${isLeft})`, [id]);
}

export async function removeAllLeftovers(db: Queryable, signal: AbortSignal): Promise<void> {
  const deleted = await db.query<{ id: number }>('SELECT id FROM deleted_integrations ORDER BY deleted_at');
  for (const { id } of deleted) {
    if (signal.aborted) {
      return;
    }
    await removeLeftovers(db, id, signal);
  }
}

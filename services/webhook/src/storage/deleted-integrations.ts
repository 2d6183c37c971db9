import type { Queryable } from '@sabia/service-kit/postgres/database';

const chunk = 1_000;

/*
 * Nothing is inserted any more for an integration that is gone, so that one without rows stays without. Several replicas may do
 * this at once: each takes what no other is at.
 */
const statement = (table: string): string => `
  WITH gone AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE integration_id = $1 LIMIT ${chunk} FOR UPDATE SKIP LOCKED
    ))
    RETURNING 1
  )
  SELECT count(*) AS count FROM gone`;

const statements = [statement('deliveries'), statement('unmatched_events')];

/** What a deleted integration has left behind goes, in chunks, each a short transaction of its own. */
export async function removeLeftovers(db: Queryable, id: number, isOver: () => boolean): Promise<void> {
  for (const text of statements) {
    let removed = chunk;
    while (removed === chunk) {
      if (isOver()) {
        return;
      }
      const [row] = await db.query<{ count: number }>(text, [id]);
      removed = row?.count ?? 0;
    }
  }
  // Rows that somebody else is at are left, and so is the note of them.
  await db.query(
    `DELETE FROM deleted_integrations WHERE id = $1
       AND NOT EXISTS (SELECT FROM deliveries WHERE integration_id = $1)
       AND NOT EXISTS (SELECT FROM unmatched_events WHERE integration_id = $1)`,
    [id],
  );
}

export async function removeAllLeftovers(db: Queryable, isOver: () => boolean): Promise<void> {
  const deleted = await db.query<{ id: number }>('SELECT id FROM deleted_integrations ORDER BY deleted_at');
  for (const { id } of deleted) {
    if (isOver()) {
      return;
    }
    await removeLeftovers(db, id, isOver);
  }
}

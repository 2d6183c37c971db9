import type { Queryable } from '@sabia/service-kit/postgres/database';

const chunk = 1_000;

/*
 * Deliveries that wait for a disabled webhook become dead; they can be replayed. Those being sent keep their lease and may still be
 * delivered. Tests are sent to a disabled webhook, too.
 */
const statement = `
  WITH lost AS (
    SELECT due.id, i.disabled_reason
    FROM integrations i
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.integration_id = i.id AND d.finished_at IS NULL AND NOT d.test
      LIMIT ${chunk} FOR UPDATE OF d SKIP LOCKED
    ) due
    WHERE i.disabled_at IS NOT NULL
    LIMIT ${chunk}
  ), dead AS (
    UPDATE deliveries d
    SET status = 'dead', reason = 'The webhook was disabled: ' || lost.disabled_reason, due_at = NULL, finished_at = $1
    FROM lost WHERE d.id = lost.id
    RETURNING 1
  )
  SELECT count(*) AS count FROM dead`;

/** Works in chunks, each a short transaction of its own, so that the results of other receivers do not wait for a long backlog. */
export async function giveUpForDisabled(db: Queryable, now: Date, signal: AbortSignal): Promise<void> {
  let given = chunk;
  while (given === chunk && !signal.aborted) {
    const [row] = await db.query<{ count: number }>(statement, [now]);
    given = row?.count ?? 0;
  }
}

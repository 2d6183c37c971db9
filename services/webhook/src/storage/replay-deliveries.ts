import type { Queryable } from '@sabia/service-kit/postgres/database';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import type { ReplayStatus } from '../domain/replay-span';
import { insertReplay } from './replays';

// Whoever changes a delivery changes its row of the queue first, then that of the log: two of them never wait for each other.

/** SQL: no deliveries of an integration that is deleted meanwhile come back into the queue. */
const alive = 'alive AS MATERIALIZED (SELECT id FROM integrations WHERE id = $1 FOR KEY SHARE)';

/** SQL: deliveries `d` as they come into the queue. */
const asQueued = `INSERT INTO delivery_queue AS q (delivery_id, integration_id, position, call_id, test, attempt_count, due_at, created_at)
  SELECT d.id, d.integration_id, d.position, d.call_id, d.test, cardinality(d.attempts), $2::timestamptz, d.created_at`;

/** SQL: what else changes about the deliveries that are `queued` anew. */
const pendingAgain = (isOfTheirMonths = 'true'): string => `again AS (
    UPDATE delivery_log d SET status = 'pending', reason = NULL, finished_at = NULL
    FROM queued WHERE d.id = queued.delivery_id AND ${isOfTheirMonths} RETURNING d.id
  ), revived AS (
    DELETE FROM dead_deliveries WHERE delivery_id = ANY (ARRAY(SELECT delivery_id FROM queued))
  )`;

/**
 * Makes the delivery pending again, with the same id and body; false when there is no such delivery. A valid lease is taken away: its
 * process may finish sending, but the result no longer counts.
 */
export async function replayDelivery(
  db: Queryable,
  { integrationId, id }: { integrationId: number; id: string },
  now: Date,
): Promise<boolean> {
  const months = monthsOf([id], now);
  const rows = await db.query(
    `WITH ${alive}, queued AS (
       ${asQueued}
       FROM delivery_log d JOIN alive ON alive.id = d.integration_id WHERE d.id = $3 AND ${months.hold('d.id')}
       ON CONFLICT (delivery_id) DO UPDATE SET status = 'pending', failures = 0, due_at = excluded.due_at, lease_token = NULL
       RETURNING delivery_id
     ), ${pendingAgain(months.hold('d.id'))}
     SELECT id FROM again`,
    [integrationId, now, id],
  );
  // It may have died while the statement waited for it, too late for what that sees.
  await db.query(
    `DELETE FROM dead_deliveries WHERE delivery_id = $1 AND EXISTS (SELECT FROM delivery_queue WHERE delivery_id = $1)`,
    [id],
  );
  return rows.length > 0;
}

export interface ReplaySpan {
  from?: Date;
  to?: Date;
  status: ReplayStatus;
}

const replayChunk = 1_000;

const ofSpan = (source: string): string => `WHERE ${source}.integration_id = $1
      AND ${source}.created_at >= coalesce($3::timestamptz, '-infinity') AND ${source}.created_at <= coalesce($4::timestamptz, 'infinity')`;

/** SQL: the next deliveries of the span that have the status, in the order of time. */
const batches: Record<ReplayStatus, string> = {
  dead: `SELECT delivery_id AS id, created_at FROM dead_deliveries n ${ofSpan('n')}
      AND ($6::uuid IS NULL OR (n.created_at, n.delivery_id) > ($5::timestamptz, $6::uuid))
    ORDER BY n.created_at, n.delivery_id LIMIT ${replayChunk}`,
  delivered: `SELECT id, created_at FROM delivery_log d ${ofSpan('d')} AND d.status = 'delivered' AND NOT d.test
      AND ($6::uuid IS NULL OR (d.created_at, d.id) > ($5::timestamptz, $6::uuid))
    ORDER BY d.created_at, d.id LIMIT ${replayChunk}`,
};

// One that another replay has just queued is left to that.
const statementFor = (status: ReplayStatus): string => `
  WITH ${alive}, batch AS MATERIALIZED (
    ${batches[status]}
  ), queued AS (
    ${asQueued}
    FROM batch JOIN delivery_log d ON d.id = batch.id JOIN alive ON alive.id = d.integration_id
    WHERE NOT d.test AND d.status = '${status}'
    ORDER BY d.created_at, d.id
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id
  ), ${pendingAgain()}, noted AS (
    INSERT INTO replayed_deliveries (replay_id, delivery_id, created_at) SELECT $7::uuid, id, $2 FROM again
  )
  SELECT (SELECT count(*) FROM batch) AS looked, (SELECT count(*) FROM again) AS again, created_at AS "createdAt", id
  FROM batch ORDER BY created_at DESC, id DESC LIMIT 1`;

/**
 * Oldest first, in chunks, each a short transaction of its own. A chunk begins where the one before ended, so that a delivery which
 * is delivered again meanwhile is not replayed twice.
 */
export async function replayDeliveries(
  db: Queryable,
  { integrationId, replayId }: { integrationId: number; replayId: string },
  { from, to, status }: ReplaySpan,
  now: Date,
): Promise<number> {
  await insertReplay(db, { id: replayId, integrationId, createdAt: now });
  let count = 0;
  let after: { createdAt: Date; id: string } | undefined;
  for (;;) {
    const [chunk] = await db.query<{ looked: number; again: number; createdAt: Date; id: string }>(
      statementFor(status),
      [integrationId, now, from ?? null, to ?? null, after?.createdAt ?? null, after?.id ?? null, replayId],
    );
    count += chunk?.again ?? 0;
    if (chunk === undefined || chunk.looked < replayChunk) {
      return count;
    }
    after = chunk;
  }
}

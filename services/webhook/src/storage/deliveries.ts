import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { EventType } from '../domain/event-type';
import type { DeliveryStatus } from '../domain/outcome';
import { insertReplay } from './replays';

export interface NewDelivery {
  id: string;
  integrationId: number;
  eventId: string;
  eventType: EventType;
  callId: string | null;
  payload: string;
  /** Null when the trace of the event is not sampled. */
  traceparent: string | null;
}

export interface UnmatchedEvent extends Omit<NewDelivery, 'payload' | 'traceparent'> {
  reason: string;
}

/** Names the rows that the inserting process sends itself, without a claim in between. */
export interface HandOver {
  owner: string;
  leaseUntil: Date;
  integrationIds: ReadonlySet<number>;
}

const noHandOver: HandOver = { owner: '', leaseUntil: new Date(0), integrationIds: new Set() };

/*
 * Open deliveries are recognised by due_at, not by finished_at: for each row the index of the queue would be read from end to end,
 * while the index of calls has only the few of one call. The limit keeps the planner from a plan that reads all of them at once.
 */
const earlierElsewhere = `
  SELECT e.id FROM deliveries e
  WHERE e.integration_id = n.integration_id AND e.call_id = n.call_id
    AND e.due_at IS NOT NULL AND e.attempt_count = 0 AND e.lease_token IS DISTINCT FROM $10::uuid
  LIMIT 1`;

/**
 * Inserts all rows in one statement. An event that comes again changes nothing: its delivery exists already. Answers the ids of the
 * rows that now belong to the owner; a row waits in the table when an earlier event of its call waits for its first attempt elsewhere.
 */
export async function insertDeliveries(
  tx: Queryable,
  rows: NewDelivery[],
  { now, test = false, handOver = noHandOver }: { now: Date; test?: boolean; handOver?: HandOver },
): Promise<string[]> {
  if (rows.length === 0) {
    return [];
  }
  const { owner, leaseUntil, integrationIds } = handOver;
  const ids = rows.map(({ id }) => id);
  const [inserted] = await tx.query<{ count: number; some: string | null }>(
    `WITH alive AS MATERIALIZED (
       SELECT id FROM integrations WHERE id = ANY ($9::bigint[]) ORDER BY id FOR KEY SHARE
     ), inserted AS (
       INSERT INTO deliveries (id, integration_id, event_id, event_type, call_id, payload, test, due_at, lease_token,
         created_at, traceparent)
       SELECT n.id, n.integration_id, n.event_id, n.event_type, n.call_id, n.payload, $7,
         CASE WHEN lease.granted THEN $11::timestamptz ELSE $8 END, CASE WHEN lease.granted THEN $10::uuid END, $8, n.traceparent
       FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $13::text[])
         WITH ORDINALITY AS n (id, integration_id, event_id, event_type, call_id, payload, traceparent, nth)
       JOIN alive ON alive.id = n.integration_id
       LEFT JOIN LATERAL (${earlierElsewhere}) earlier ON true
       CROSS JOIN LATERAL (SELECT n.integration_id = ANY ($12::bigint[]) AND earlier.id IS NULL AS granted) lease
       ORDER BY n.nth
       ON CONFLICT (integration_id, event_id) DO NOTHING
       RETURNING id, lease_token
     )
     SELECT count(*) AS count, CASE WHEN count(*) < cardinality($1::uuid[]) THEN string_agg(id::text, ',') END AS some
     FROM inserted WHERE lease_token IS NOT NULL`,
    [
      ids,
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ eventId }) => eventId),
      rows.map(({ eventType }) => eventType),
      rows.map(({ callId }) => callId),
      rows.map(({ payload }) => payload),
      test,
      now,
      [...new Set(rows.map(({ integrationId }) => integrationId))],
      owner === '' ? null : owner,
      leaseUntil,
      [...integrationIds],
      rows.map(({ traceparent }) => traceparent),
    ],
    { name: 'insert-deliveries' },
  );
  // Usually all rows are leased; then their ids need not be transferred.
  return inserted?.count === ids.length ? ids : (inserted?.some?.split(',') ?? []);
}

export async function insertUnmatchedEvents(tx: Transaction, rows: UnmatchedEvent[], now: Date): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  await tx.query(
    `WITH alive AS MATERIALIZED (
       SELECT id FROM integrations WHERE id = ANY ($8::bigint[]) ORDER BY id FOR KEY SHARE
     )
     INSERT INTO unmatched_events (id, integration_id, event_id, event_type, call_id, reason, created_at)
     SELECT n.id, n.integration_id, n.event_id, n.event_type, n.call_id, n.reason, $7
     FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[])
       AS n (id, integration_id, event_id, event_type, call_id, reason)
     JOIN alive ON alive.id = n.integration_id`,
    [
      rows.map(({ id }) => id),
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ eventId }) => eventId),
      rows.map(({ eventType }) => eventType),
      rows.map(({ callId }) => callId),
      rows.map(({ reason }) => reason),
      now,
      [...new Set(rows.map(({ integrationId }) => integrationId))],
    ],
    { name: 'insert-unmatched-events' },
  );
}

/** Makes the delivery pending again, with the same id and body; false when there is no such delivery. */
export async function replayDelivery(
  db: Queryable,
  { integrationId, id }: { integrationId: number; id: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(`${replay} AND id = $3 RETURNING id`, [integrationId, now, id]);
  return rows.length > 0;
}

// A valid lease is taken away: its process may finish sending, but the result no longer counts.
const replay = `UPDATE deliveries
  SET status = 'pending', reason = NULL, failures = 0, due_at = $2, finished_at = NULL, lease_token = NULL
  WHERE integration_id = $1`;

export interface ReplaySpan {
  from?: Date;
  to?: Date;
  status: DeliveryStatus;
}

const replayChunk = 1_000;

const replayStatement = `
  WITH batch AS (
    SELECT id, created_at FROM deliveries
    WHERE integration_id = $1 AND status = $3 AND NOT test AND created_at >= coalesce($4::timestamptz, '-infinity')
      AND created_at <= coalesce($5::timestamptz, 'infinity')
      AND ($7::uuid IS NULL OR (created_at, id) > ($6::timestamptz, $7::uuid))
    ORDER BY created_at, id LIMIT ${replayChunk}
  ), again AS (
    ${replay} AND id IN (SELECT id FROM batch) AND status = $3 RETURNING id
  ), noted AS (
    INSERT INTO replayed_deliveries (replay_id, delivery_id, created_at) SELECT $8::uuid, id, $2 FROM again
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
    const [chunk] = await db.query<{ looked: number; again: number; createdAt: Date; id: string }>(replayStatement, [
      integrationId,
      now,
      status,
      from ?? null,
      to ?? null,
      after?.createdAt ?? null,
      after?.id ?? null,
      replayId,
    ]);
    count += chunk?.again ?? 0;
    if (chunk === undefined || chunk.looked < replayChunk) {
      return count;
    }
    after = chunk;
  }
}

import { anyValue } from '@sabia/service-kit/postgres/any-value';
import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { EventType } from '../domain/event-type';

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

/** SQL: an earlier event of the call waits for its first attempt elsewhere. The limit keeps the planner from reading all of the queue at once. */
const earlierElsewhere = `
  SELECT e.delivery_id FROM delivery_queue e
  WHERE e.integration_id = i.integration_id AND e.call_id = i.call_id AND e.attempt_count = 0
    AND e.lease_token IS DISTINCT FROM $10::uuid
  LIMIT 1`;

/**
 * Inserts all rows in one statement. An event that comes again changes nothing: its delivery has the same id. Answers the ids of the
 * rows that now belong to the owner; a row waits in the queue when an earlier event of its call waits for its first attempt elsewhere.
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
       SELECT id FROM integrations WHERE id = ANY (${anyValue('$9', 'bigint[]')}) ORDER BY id FOR KEY SHARE
     ), inserted AS (
       INSERT INTO delivery_log (id, integration_id, event_id, event_type, call_id, payload, test, created_at, traceparent)
       SELECT n.id, n.integration_id, n.event_id, n.event_type, n.call_id, n.payload, $7, $8, n.traceparent
       FROM unnest(${anyValue('$1', 'uuid[]')}, $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $13::text[])
         WITH ORDINALITY AS n (id, integration_id, event_id, event_type, call_id, payload, traceparent, nth)
       JOIN alive ON alive.id = n.integration_id
       ORDER BY n.nth
       ON CONFLICT (id) DO NOTHING
       RETURNING id, integration_id, call_id, position
     ), queued AS (
       INSERT INTO delivery_queue (delivery_id, integration_id, position, call_id, test, due_at, lease_token, created_at)
       SELECT i.id, i.integration_id, i.position, i.call_id, $7, CASE WHEN lease.granted THEN $11::timestamptz ELSE $8 END,
         CASE WHEN lease.granted THEN $10::uuid END, $8
       FROM inserted i
       LEFT JOIN LATERAL (${earlierElsewhere}) earlier ON true
       CROSS JOIN LATERAL (SELECT i.integration_id = ANY ($12::bigint[]) AND earlier.delivery_id IS NULL AS granted) lease
       RETURNING delivery_id, lease_token
     )
     SELECT count(*) AS count, CASE WHEN count(*) < cardinality($1::uuid[]) THEN string_agg(delivery_id::text, ',') END AS some
     FROM queued WHERE lease_token IS NOT NULL`,
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

import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { EventType } from '../domain/event-type';
import type { DeliveryStatus } from '../domain/outcome';

export interface NewDelivery {
  id: string;
  integrationId: number;
  eventId: string;
  eventType: EventType;
  callId: string | null;
  payload: string;
}

export interface UnmatchedEvent extends Omit<NewDelivery, 'payload'> {
  reason: string;
}

/** One statement for all of them. An event that comes again finds its delivery there already. */
export async function insertDeliveries(
  tx: Queryable,
  rows: NewDelivery[],
  { now, test = false }: { now: Date; test?: boolean },
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  await tx.query(
    `INSERT INTO deliveries (id, integration_id, event_id, event_type, call_id, payload, test, due_at, created_at)
     SELECT n.id, n.integration_id, n.event_id, n.event_type, n.call_id, n.payload, $7, $8, $8
     FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[])
       WITH ORDINALITY AS n (id, integration_id, event_id, event_type, call_id, payload, nth)
     WHERE EXISTS (SELECT FROM integrations i WHERE i.id = n.integration_id FOR KEY SHARE)
     ORDER BY n.nth
     ON CONFLICT (integration_id, event_id) DO NOTHING`,
    [
      rows.map(({ id }) => id),
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ eventId }) => eventId),
      rows.map(({ eventType }) => eventType),
      rows.map(({ callId }) => callId),
      rows.map(({ payload }) => payload),
      test,
      now,
    ],
    { name: 'insert-deliveries' },
  );
}

export async function insertUnmatchedEvents(tx: Transaction, rows: UnmatchedEvent[], now: Date): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  await tx.query(
    `INSERT INTO unmatched_events (id, integration_id, event_id, event_type, call_id, reason, created_at)
     SELECT n.id, n.integration_id, n.event_id, n.event_type, n.call_id, n.reason, $7
     FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[])
       AS n (id, integration_id, event_id, event_type, call_id, reason)
     WHERE EXISTS (SELECT FROM integrations i WHERE i.id = n.integration_id FOR KEY SHARE)`,
    [
      rows.map(({ id }) => id),
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ eventId }) => eventId),
      rows.map(({ eventType }) => eventType),
      rows.map(({ callId }) => callId),
      rows.map(({ reason }) => reason),
      now,
    ],
    { name: 'insert-unmatched-events' },
  );
}

/** Everything from the beginning, with the same id and body; false when there is no such delivery. */
export async function replayDelivery(
  db: Queryable,
  { integrationId, id }: { integrationId: number; id: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(`${replay} AND id = $3 RETURNING id`, [integrationId, now, id]);
  return rows.length > 0;
}

// A lease that still holds is taken away: whoever has it may finish sending, but its result no longer counts.
const replay = `UPDATE deliveries
  SET status = 'pending', reason = NULL, failures = 0, due_at = $2, finished_at = NULL, lease_token = NULL
  WHERE integration_id = $1`;

export interface ReplaySpan {
  from?: Date;
  to?: Date;
  status: DeliveryStatus;
}

export async function replayDeliveries(
  db: Queryable,
  integrationId: number,
  { from, to, status }: ReplaySpan,
  now: Date,
): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `WITH again AS (
       ${replay} AND status = $3 AND NOT test AND created_at >= coalesce($4::timestamptz, '-infinity')
         AND created_at <= coalesce($5::timestamptz, 'infinity')
       RETURNING 1
     ) SELECT count(*) AS count FROM again`,
    [integrationId, now, status, from ?? null, to ?? null],
  );
  return rows[0]?.count ?? 0;
}

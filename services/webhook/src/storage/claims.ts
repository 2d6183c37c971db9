import type { Queryable } from '@sabia/service-kit/postgres/database';
import { receiverLimits } from '../domain/circuit';
import { withWaitingReceivers } from './waiting-receivers';

export interface Claim {
  id: string;
  integrationId: number;
  callId: string | null;
  eventType: string;
  payload: string;
  traceparent: string | null;
  test: boolean;
  attemptCount: number;
  failures: number;
}

/** How many deliveries of one receiver a process has, and how many it would take in all. */
export interface Room {
  held: number;
  ahead: number;
}

export interface ClaimOptions {
  now: Date;
  leaseUntil: Date;
  owner: string;
  /** The largest number of deliveries to claim. */
  limit: number;
  /** By integration; one that is not listed gets the room of an unknown receiver. */
  rooms: ReadonlyMap<number, Room>;
}

/** The room of a receiver to which this process has sent nothing recently. */
export const aheadOfUnknown = 4 * receiverLimits.healthy;

/*
 * Each receiver gets a share of its own, so that a long queue of one does not hide those of the others.
 * A first attempt waits until the earlier events of its call have had theirs. The log is read by the ids of what was taken, row by row:
 * without the limit PostgreSQL might prefer to read all of it.
 */
const statement = `${withWaitingReceivers}, receivers AS (
    SELECT i.id, greatest(0, CASE
        WHEN i.consecutive_failures = 0 THEN coalesce(known.ahead, ${aheadOfUnknown})
        WHEN i.consecutive_failures < ${receiverLimits.faultsThatOpen} THEN ${receiverLimits.shaky}
        ELSE ${receiverLimits.open}
      END - coalesce(known.held, 0)) AS room
    FROM waiting w
    JOIN integrations i ON i.id = w.integration_id
    LEFT JOIN unnest($5::bigint[], $6::integer[], $7::integer[]) AS known (id, held, ahead) ON known.id = i.id
    WHERE i.paused_until IS NULL OR i.paused_until <= $1
  ), chosen AS (
    SELECT due.delivery_id
    FROM receivers r
    CROSS JOIN LATERAL (
      SELECT q.delivery_id
      FROM delivery_queue q
      WHERE q.integration_id = r.id AND q.due_at <= $1
        AND (q.attempt_count > 0 OR q.call_id IS NULL OR NOT EXISTS (
          SELECT FROM delivery_queue e
          WHERE e.integration_id = q.integration_id AND e.call_id = q.call_id AND e.position < q.position AND e.attempt_count = 0
        ))
      ORDER BY q.due_at, q.position
      LIMIT r.room
      FOR UPDATE OF q SKIP LOCKED
    ) due
    LIMIT $4
  ), claimed AS (
    UPDATE delivery_queue SET due_at = $2, lease_token = $3 WHERE delivery_id = ANY (ARRAY(SELECT delivery_id FROM chosen))
    RETURNING *
  )
  SELECT c.delivery_id AS id, c.integration_id AS "integrationId", c.call_id AS "callId", d.event_type AS "eventType", d.payload,
    d.traceparent, c.test, c.attempt_count AS "attemptCount", c.failures
  FROM claimed c
  CROSS JOIN LATERAL (
    SELECT event_type, payload, traceparent FROM delivery_log WHERE id = c.delivery_id LIMIT 1
  ) d
  ORDER BY c.position`;

/** Takes due deliveries. No other process gets them before the lease ends; no transaction stays open meanwhile. */
export async function claimDeliveries(db: Queryable, options: ClaimOptions): Promise<Claim[]> {
  const { now, leaseUntil, owner, limit, rooms } = options;
  const known = [...rooms.values()];
  // Without a name, so that it is planned each time: a plan made for an empty queue would read all of a long one.
  return db.query<Claim>(statement, [
    now,
    leaseUntil,
    owner,
    limit,
    [...rooms.keys()],
    known.map(({ held }) => held),
    known.map(({ ahead }) => ahead),
  ]);
}

/** Makes deliveries due immediately, for any process. */
export async function giveBackDeliveries(db: Queryable, ids: string[], owners: string[], now: Date): Promise<void> {
  await db.query(
    `UPDATE delivery_queue SET due_at = $3, lease_token = NULL
     WHERE delivery_id = ANY ($1::uuid[]) AND lease_token = ANY ($2::uuid[])`,
    [ids, owners, now],
    { name: 'give-back-deliveries' },
  );
}

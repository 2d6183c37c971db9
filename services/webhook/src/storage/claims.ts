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
 * A first attempt waits until the earlier events of its call have had theirs.
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
    SELECT due.id, due.due_at, due.position
    FROM receivers r
    CROSS JOIN LATERAL (
      SELECT d.id, d.due_at, d.position
      FROM deliveries d
      WHERE d.integration_id = r.id AND d.finished_at IS NULL AND d.due_at <= $1
        AND (d.attempt_count > 0 OR d.call_id IS NULL OR NOT EXISTS (
          SELECT FROM deliveries e
          WHERE e.integration_id = d.integration_id AND e.call_id = d.call_id AND e.position < d.position
            AND e.due_at IS NOT NULL AND e.attempt_count = 0
        ))
      ORDER BY d.due_at, d.position
      LIMIT r.room
      FOR UPDATE OF d SKIP LOCKED
    ) due
    LIMIT $4
  ), claimed AS (
    UPDATE deliveries d SET due_at = $2, lease_token = $3 FROM chosen c WHERE d.id = c.id
    RETURNING d.id, d.integration_id, d.call_id, d.event_type, d.payload, d.traceparent, d.test, d.attempt_count,
      d.failures, d.position
  )
  SELECT id, integration_id AS "integrationId", call_id AS "callId", event_type AS "eventType", payload, traceparent, test,
    attempt_count AS "attemptCount", failures
  FROM claimed ORDER BY position`;

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
    `UPDATE deliveries SET due_at = $3, lease_token = NULL
     WHERE id = ANY ($1::uuid[]) AND lease_token = ANY ($2::uuid[]) AND finished_at IS NULL`,
    [ids, owners, now],
    { name: 'give-back-deliveries' },
  );
}

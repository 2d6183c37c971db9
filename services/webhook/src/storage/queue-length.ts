import type { Queryable } from '@sabia/service-kit/postgres/database';
import { withWaitingReceivers } from './waiting-receivers';

export interface QueueLength {
  /** Deliveries that are not finished, counted up to a limit. */
  waiting: number;
  /** For how long the oldest one has been due. */
  overdueSeconds: number;
}

/** A longer queue is as alarming as this. */
export const mostCounted = 100_000;

/*
 * Cheap for a queue of any length: the index has the oldest delivery of each receiver. A receiver in trouble gets few at a time, so
 * deliveries that wait for it say nothing about this service.
 */
const statement = `${withWaitingReceivers}, oldest AS (
    SELECT due.due_at
    FROM waiting w
    JOIN integrations i ON i.id = w.integration_id AND i.consecutive_failures = 0
    CROSS JOIN LATERAL (
      SELECT q.due_at FROM delivery_queue q WHERE q.integration_id = i.id ORDER BY q.due_at LIMIT 1
    ) due
    WHERE i.paused_until IS NULL OR i.paused_until <= $1
  )
  SELECT
    (SELECT count(*) FROM (SELECT FROM delivery_queue LIMIT ${mostCounted}) open) AS waiting,
    coalesce((SELECT greatest(0, extract(epoch FROM $1::timestamptz - min(due_at))) FROM oldest), 0)::float8
      AS "overdueSeconds"`;

export async function measureQueue(db: Queryable, now: Date): Promise<QueueLength> {
  const [length] = await db.query<QueueLength>(statement, [now]);
  return length ?? { waiting: 0, overdueSeconds: 0 };
}

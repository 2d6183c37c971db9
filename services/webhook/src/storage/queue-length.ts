import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface QueueLength {
  /** Deliveries that are not finished; no more are counted than this says. */
  waiting: number;
  /** Since when the oldest of them could have been sent. */
  overdueSeconds: number;
}

/** What is beyond makes no difference to whoever looks at it. */
export const mostCounted = 100_000;

/*
 * Cheap however long the queue is: the receivers are found by hopping through the index, and each has its oldest there. One
 * that is in trouble gets few at a time, so that what waits for it says nothing about us.
 */
const statement = `
  WITH RECURSIVE waiting AS (
    (SELECT integration_id FROM deliveries WHERE finished_at IS NULL ORDER BY integration_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT d.integration_id FROM deliveries d
      WHERE d.finished_at IS NULL AND d.integration_id > w.integration_id ORDER BY d.integration_id LIMIT 1
    )
    FROM waiting w WHERE w.integration_id IS NOT NULL
  ), oldest AS (
    SELECT due.due_at
    FROM waiting w
    JOIN integrations i ON i.id = w.integration_id AND i.consecutive_failures = 0
    CROSS JOIN LATERAL (
      SELECT d.due_at FROM deliveries d
      WHERE d.integration_id = i.id AND d.finished_at IS NULL ORDER BY d.due_at LIMIT 1
    ) due
    WHERE i.paused_until IS NULL OR i.paused_until <= $1
  )
  SELECT
    (SELECT count(*) FROM (SELECT FROM deliveries WHERE finished_at IS NULL LIMIT ${mostCounted}) open) AS waiting,
    coalesce((SELECT greatest(0, extract(epoch FROM $1::timestamptz - min(due_at))) FROM oldest), 0)::float8
      AS "overdueSeconds"`;

export async function measureQueue(db: Queryable, now: Date): Promise<QueueLength> {
  const [length] = await db.query<QueueLength>(statement, [now]);
  return length ?? { waiting: 0, overdueSeconds: 0 };
}

import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { olderMonths, recentMonths } from '@sabia/service-kit/postgres/partitions/months';
import type { Circuit } from '../domain/circuit';
import { readUnsent } from './unsent-counts';
import type { UnsentSummary } from './unsent-counts';

export type ReceiverState = Circuit & { disabledAt: Date | null };

export interface HourCounts {
  /** Hours since 1970. */
  hour: number;
  delivered: number;
  retrying: number;
  dead: number;
  pending: number;
}

export interface Latencies {
  p50: number | null;
  p95: number | null;
}

export interface FailedAttempt {
  deliveryId: string;
  at: Date;
  status: number | null;
  error: string | null;
}

export interface IntegrationHealth {
  receiver: ReceiverState;
  hours: HourCounts[];
  latencies: Latencies;
  lastSuccessAt: Date | null;
  lastFailure: FailedAttempt | undefined;
  unsent: UnsentSummary[];
}

const hourMs = 60 * 60 * 1000;
/** Attempts beyond these change a percentile little, and cost a page of the table each. */
const sampled = 1_000;
/** Of each status; the latest attempt is nearly always one of the newest deliveries. */
const lookedAt = 50;

/** What is counted grows with the deliveries since `from`; the rest reads a fixed number of rows. */
export function readHealth(database: Database, id: number, from: Date): Promise<IntegrationHealth> {
  return database.read('growing', async (reader) => ({
    receiver: await readReceiver(reader, id),
    hours: await countHours(reader, id, from),
    latencies: await readLatencies(reader, id, from),
    lastSuccessAt: await findLastSuccess(reader, id),
    lastFailure: await findLastFailure(reader, id, from),
    unsent: await readUnsent(reader, id, Math.floor(from.getTime() / hourMs)),
  }));
}

async function readReceiver(reader: Queryable, id: number): Promise<ReceiverState> {
  const [receiver] = await reader.query<ReceiverState>(
    `SELECT consecutive_failures AS "consecutiveFailures", circuit_level AS "circuitLevel", paused_until AS "pausedUntil",
       failing_since AS "failingSince", last_failure_at AS "lastFailureAt", disabled_at AS "disabledAt"
     FROM integrations WHERE id = $1`,
    [id],
    { name: 'read-receiver' },
  );
  const none = { consecutiveFailures: 0, circuitLevel: 0, pausedUntil: null, failingSince: null, lastFailureAt: null };
  return receiver ?? { ...none, disabledAt: null };
}

/** All deliveries are counted in the index by time; those not delivered are in tables of their own: neither reads the bodies. */
async function countHours(reader: Queryable, id: number, from: Date): Promise<HourCounts[]> {
  return reader.query<HourCounts>(
    `WITH every AS (
       SELECT floor(extract(epoch FROM created_at) / 3600)::integer AS hour, count(*) AS total
       FROM delivery_log WHERE integration_id = $1 AND created_at >= $2 GROUP BY 1
     ), undelivered AS (
       SELECT floor(extract(epoch FROM created_at) / 3600)::integer AS hour,
         count(*) FILTER (WHERE status = 'retrying') AS retrying, count(*) FILTER (WHERE status = 'dead') AS dead,
         count(*) FILTER (WHERE status = 'pending') AS pending
       FROM (
         SELECT created_at, status FROM delivery_queue WHERE integration_id = $1
         UNION ALL SELECT created_at, 'dead' FROM dead_deliveries WHERE integration_id = $1
       ) AS each WHERE created_at >= $2 GROUP BY 1
     )
     SELECT hour, total - coalesce(retrying + dead + pending, 0) AS delivered, coalesce(retrying, 0) AS retrying,
       coalesce(dead, 0) AS dead, coalesce(pending, 0) AS pending
     FROM every LEFT JOIN undelivered USING (hour)`,
    [id, from],
    { name: 'count-hours' },
  );
}

const newest = `
  SELECT id, attempts FROM delivery_log WHERE integration_id = $1 AND created_at >= $2
  ORDER BY created_at DESC, id DESC LIMIT ${sampled}`;

async function readLatencies(reader: Queryable, id: number, from: Date): Promise<Latencies> {
  const [latencies] = await reader.query<Latencies>(
    `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY (made->>'latencyMs')::integer) AS p50,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY (made->>'latencyMs')::integer) AS p95
     FROM (${newest}) AS d, unnest(d.attempts) AS a (made) WHERE made->>'status' IS NOT NULL`,
    [id, from],
    { name: 'read-latencies' },
  );
  return latencies ?? { p50: null, p95: null };
}

/** The months before are looked at only if the last ones have none. */
async function findLastSuccess(reader: Queryable, id: number): Promise<Date | null> {
  for (const months of [recentMonths(), olderMonths()]) {
    const [last] = await reader.query<{ at: Date | null }>(
      `SELECT finished_at AS at FROM delivery_log WHERE integration_id = $1 AND status = 'delivered' AND ${months.hold('id')}
       ORDER BY created_at DESC, id DESC LIMIT 1`,
      [id],
      { name: months.nameOf('find-last-success') },
    );
    if (last !== undefined) return last.at;
  }
  return null;
}

async function findLastFailure(reader: Queryable, id: number, from: Date): Promise<FailedAttempt | undefined> {
  const [last] = await reader.query<Omit<FailedAttempt, 'at'> & { at: string }>(
    `SELECT d.id AS "deliveryId", made->>'at' AS at, (made->>'status')::integer AS status, made->>'error' AS error
     FROM (
       SELECT id, attempts FROM (
         (SELECT delivery_id FROM delivery_queue WHERE integration_id = $1 AND status = 'retrying'
          ORDER BY created_at DESC, delivery_id DESC LIMIT ${lookedAt})
         UNION ALL
         (SELECT delivery_id FROM dead_deliveries WHERE integration_id = $1
          ORDER BY created_at DESC, delivery_id DESC LIMIT ${lookedAt})
       ) AS failed
       CROSS JOIN LATERAL (SELECT id, attempts FROM delivery_log WHERE id = failed.delivery_id LIMIT 1) AS undelivered
       UNION ALL (${newest})
     ) AS d, unnest(d.attempts) AS a (made)
     WHERE coalesce((made->>'status')::integer, 0) NOT BETWEEN 200 AND 299
     ORDER BY (made->>'at')::timestamptz DESC LIMIT 1`,
    [id, from],
    { name: 'find-last-failure' },
  );
  return last && { ...last, at: new Date(last.at) };
}

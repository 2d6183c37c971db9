import { isAmong } from '@sabia/service-kit/postgres/any-value';
import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import type { Circuit } from '../domain/circuit';
import type { Attempt, Outcome } from '../domain/outcome';
import { headersToKeep } from '../domain/sent-headers';

export interface Result {
  deliveryId: string;
  integrationId: number;
  outcome: Outcome;
  /** Absent when nothing was sent. */
  attempt?: Attempt;
}

/**
 * Adds each attempt once: a result whose commit was not confirmed is written again. The delivery itself changes only while this
 * process holds its lease. The queue is written before the log, as everywhere, so that two writers never wait for each other.
 */
export async function writeResults(db: Queryable, results: Result[], owners: string[], now: Date): Promise<void> {
  const rest = await writeFirstSuccesses(db, results, owners, now);
  if (rest.length > 0) {
    await writeAny(db, rest, owners, now);
  }
}

/** Writes successful first attempts, which nearly all results are, in a short statement. Answers the others. */
async function writeFirstSuccesses(db: Queryable, results: Result[], owners: string[], now: Date): Promise<Result[]> {
  const successes = results.filter(({ outcome, attempt }) => outcome.status === 'delivered' && attempt !== undefined);
  if (successes.length === 0) {
    return results;
  }
  const ids = successes.map(({ deliveryId }) => deliveryId);
  const months = monthsOf(ids, now);
  const [done] = await db.query<{ count: number; some: string | null }>(
    `WITH done AS (
       DELETE FROM delivery_queue q WHERE ${isAmong('q.delivery_id', '$1')} AND q.lease_token = ANY ($4::uuid[]) AND q.attempt_count = 0
       RETURNING q.delivery_id AS id
     ), written AS (
       UPDATE delivery_log d
       SET attempts = d.attempts || ($2::json[])[array_position($1::uuid[], d.id)], status = 'delivered', reason = NULL,
         finished_at = $3
       WHERE d.id = ANY (ARRAY(SELECT id FROM done)) AND ${months.hold('d.id')}
     )
     SELECT count(*) AS count, CASE WHEN count(*) < cardinality($1::uuid[]) THEN string_agg(id::text, ',') END AS some
     FROM done`,
    [ids, successes.map(({ attempt }) => writeAttempt(attempt!)), now, owners],
    { name: months.nameOf('write-first-successes') },
  );
  const written = new Set(done?.count === ids.length ? ids : done?.some?.split(','));
  return results.filter(({ deliveryId }) => !written.has(deliveryId));
}

async function writeAny(db: Queryable, results: Result[], owners: string[], now: Date): Promise<void> {
  const ids = results.map(({ deliveryId }) => deliveryId);
  const months = monthsOf(ids, now);
  await db.query(
    `WITH r AS MATERIALIZED (
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::json[])
         AS r (id, status, due_at, reason, attempt)
     ), finished AS (
       DELETE FROM delivery_queue q USING r
       WHERE q.delivery_id = r.id AND ${isAmong('q.delivery_id', '$1')} AND r.due_at IS NULL AND q.lease_token = ANY ($7::uuid[])
       RETURNING r.id
     ), postponed AS (
       UPDATE delivery_queue q
       SET status = r.status, due_at = r.due_at, lease_token = NULL, failures = q.failures + 1,
         attempt_count = q.attempt_count + CASE WHEN r.attempt IS NULL THEN 0 ELSE 1 END
       FROM r
       WHERE q.delivery_id = r.id AND ${isAmong('q.delivery_id', '$1')} AND r.due_at IS NOT NULL AND q.lease_token = ANY ($7::uuid[])
       RETURNING r.id
     ), own AS (
       SELECT id FROM finished UNION ALL SELECT id FROM postponed
     ), written AS (
       UPDATE delivery_log d
       SET attempts = CASE
           WHEN r.attempt IS NULL OR EXISTS (SELECT FROM unnest(d.attempts) AS a (made) WHERE a.made->>'at' = r.attempt->>'at')
           THEN d.attempts ELSE d.attempts || r.attempt
         END,
         status = CASE WHEN own.id IS NULL THEN d.status ELSE r.status END,
         reason = CASE WHEN own.id IS NULL THEN d.reason ELSE r.reason END,
         finished_at = CASE WHEN own.id IS NULL THEN d.finished_at WHEN r.due_at IS NULL THEN $6::timestamptz END
       FROM r LEFT JOIN own ON own.id = r.id
       WHERE d.id = r.id AND ${isAmong('d.id', '$1')} AND ${months.hold('d.id')}
       RETURNING d.id, d.integration_id, d.created_at, own.id IS NOT NULL AND r.status = 'dead' AS is_dead
     )
     INSERT INTO dead_deliveries (delivery_id, integration_id, created_at)
     SELECT id, integration_id, created_at FROM written WHERE is_dead ON CONFLICT DO NOTHING`,
    [
      ids,
      results.map(({ outcome }) => outcome.status),
      results.map(({ outcome }) => outcome.dueAt ?? null),
      results.map(({ outcome }) => outcome.reason ?? null),
      results.map(({ attempt }) => (attempt === undefined ? null : writeAttempt(attempt))),
      now,
      owners,
    ],
    { name: months.nameOf('write-results') },
  );
}

const writeAttempt = ({ at, status, latencyMs, answer, error, headers }: Attempt): string =>
  JSON.stringify({ at, status, latencyMs, answer, error, headers: headers && headersToKeep(headers) });

export interface StoredCircuit extends Circuit {
  id: number;
}

/** Always in the same order, so that two replicas never wait for each other. */
export async function lockCircuits(tx: Transaction, ids: number[]): Promise<StoredCircuit[]> {
  return tx.query<StoredCircuit>(
    `SELECT id, consecutive_failures AS "consecutiveFailures", circuit_level AS "circuitLevel",
       paused_until AS "pausedUntil", failing_since AS "failingSince", last_failure_at AS "lastFailureAt"
     FROM integrations WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
    { name: 'lock-circuits' },
  );
}

export async function writeCircuits(tx: Transaction, circuits: StoredCircuit[]): Promise<void> {
  await tx.query(
    `UPDATE integrations i
     SET consecutive_failures = c.failures, circuit_level = c.level, paused_until = c.paused_until,
       failing_since = c.failing_since, last_failure_at = c.last_failure_at
     FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::timestamptz[], $5::timestamptz[],
       $6::timestamptz[]) AS c (id, failures, level, paused_until, failing_since, last_failure_at)
     WHERE i.id = c.id`,
    [
      circuits.map(({ id }) => id),
      circuits.map(({ consecutiveFailures }) => consecutiveFailures),
      circuits.map(({ circuitLevel }) => circuitLevel),
      circuits.map(({ pausedUntil }) => pausedUntil),
      circuits.map(({ failingSince }) => failingSince),
      circuits.map(({ lastFailureAt }) => lastFailureAt),
    ],
    { name: 'write-circuits' },
  );
}

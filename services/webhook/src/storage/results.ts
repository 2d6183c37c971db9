import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
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
 * process holds its lease.
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
  const [done] = await db.query<{ count: number; some: string | null }>(
    `WITH done AS (
       UPDATE deliveries d
       SET attempts = ARRAY[r.attempt], attempt_count = 1, status = 'delivered', reason = NULL, due_at = NULL,
         lease_token = NULL, finished_at = $3
       FROM unnest($1::uuid[], $2::json[]) AS r (id, attempt)
       WHERE d.id = r.id AND d.lease_token = ANY ($4::uuid[]) AND d.attempt_count = 0 AND cardinality(d.attempts) = 0
       RETURNING d.id
     )
     SELECT count(*) AS count, CASE WHEN count(*) < cardinality($1::uuid[]) THEN string_agg(id::text, ',') END AS some
     FROM done`,
    [ids, successes.map(({ attempt }) => writeAttempt(attempt!)), now, owners],
    { name: 'write-first-successes' },
  );
  const written = new Set(done?.count === ids.length ? ids : done?.some?.split(','));
  return results.filter(({ deliveryId }) => !written.has(deliveryId));
}

async function writeAny(db: Queryable, results: Result[], owners: string[], now: Date): Promise<void> {
  await db.query(
    `UPDATE deliveries d
     SET attempts = CASE
         WHEN r.attempt IS NULL OR EXISTS (SELECT FROM unnest(d.attempts) AS a (made) WHERE a.made->>'at' = r.attempt->>'at')
         THEN d.attempts ELSE d.attempts || r.attempt
       END,
       status = CASE WHEN d.lease_token = ANY ($7::uuid[]) THEN r.status ELSE d.status END,
       due_at = CASE WHEN d.lease_token = ANY ($7::uuid[]) THEN r.due_at ELSE d.due_at END,
       reason = CASE WHEN d.lease_token = ANY ($7::uuid[]) THEN r.reason ELSE d.reason END,
       lease_token = CASE WHEN d.lease_token = ANY ($7::uuid[]) THEN NULL ELSE d.lease_token END,
       attempt_count = d.attempt_count + CASE WHEN d.lease_token = ANY ($7::uuid[]) AND r.attempt IS NOT NULL THEN 1 ELSE 0 END,
       failures = d.failures + CASE WHEN d.lease_token = ANY ($7::uuid[]) AND r.status <> 'delivered' THEN 1 ELSE 0 END,
       finished_at = CASE
         WHEN (d.lease_token = ANY ($7::uuid[])) IS NOT TRUE THEN d.finished_at
         WHEN r.due_at IS NULL THEN $6::timestamptz
       END
     FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::json[])
       AS r (id, status, due_at, reason, attempt)
     WHERE d.id = r.id`,
    [
      results.map(({ deliveryId }) => deliveryId),
      results.map(({ outcome }) => outcome.status),
      results.map(({ outcome }) => outcome.dueAt ?? null),
      results.map(({ outcome }) => outcome.reason ?? null),
      results.map(({ attempt }) => (attempt === undefined ? null : writeAttempt(attempt))),
      now,
      owners,
    ],
    { name: 'write-results' },
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

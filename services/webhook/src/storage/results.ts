import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { Circuit } from '../domain/circuit';
import type { DisabledIntegration } from '../domain/integration';
import type { Attempt, Outcome } from '../domain/outcome';

export interface Result {
  deliveryId: string;
  integrationId: number;
  token: string;
  outcome: Outcome;
  /** None when it was not even tried. */
  attempt?: Attempt;
}

/** All results in two statements. An attempt is always told of; the delivery only follows whoever still holds its lease. */
export async function writeResults(tx: Transaction, results: Result[], now: Date): Promise<void> {
  const tried = results.flatMap(({ deliveryId, attempt }) =>
    attempt === undefined ? [] : [{ deliveryId, ...attempt }],
  );
  await tx.query(
    `INSERT INTO attempts (delivery_id, at, status, latency_ms, answer, error)
     SELECT r.delivery_id, r.at, r.status, r.latency_ms, r.answer, r.error
     FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::text[], $6::text[])
       AS r (delivery_id, at, status, latency_ms, answer, error)
     JOIN deliveries d ON d.id = r.delivery_id
     FOR KEY SHARE OF d`,
    [
      tried.map(({ deliveryId }) => deliveryId),
      tried.map(({ at }) => at),
      tried.map(({ status }) => status ?? null),
      tried.map(({ latencyMs }) => latencyMs),
      tried.map(({ answer }) => answer ?? null),
      tried.map(({ error }) => error ?? null),
    ],
    { name: 'write-attempts' },
  );
  await tx.query(
    `UPDATE deliveries d
     SET status = r.status, due_at = r.due_at, reason = r.reason, lease_token = NULL,
       attempt_count = d.attempt_count + r.tried, failures = d.failures + r.failed,
       finished_at = CASE WHEN r.due_at IS NULL THEN $8::timestamptz END
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::integer[], $7::integer[])
       AS r (id, token, status, due_at, reason, tried, failed)
     WHERE d.id = r.id AND d.lease_token = r.token`,
    [
      results.map(({ deliveryId }) => deliveryId),
      results.map(({ token }) => token),
      results.map(({ outcome }) => outcome.status),
      results.map(({ outcome }) => outcome.dueAt ?? null),
      results.map(({ outcome }) => outcome.reason ?? null),
      results.map(({ attempt }) => (attempt === undefined ? 0 : 1)),
      results.map(({ outcome }) => (outcome.status === 'delivered' ? 0 : 1)),
      now,
    ],
    { name: 'write-results' },
  );
}

export interface StoredCircuit extends Circuit {
  id: number;
}

/** In one order for everybody, or two replicas might wait for each other. */
export async function lockCircuits(tx: Transaction, ids: number[]): Promise<StoredCircuit[]> {
  return tx.query<StoredCircuit>(
    `SELECT id, consecutive_failures AS "consecutiveFailures", circuit_level AS "circuitLevel",
       paused_until AS "pausedUntil", failing_since AS "failingSince"
     FROM integrations WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
    { name: 'lock-circuits' },
  );
}

export async function writeCircuits(tx: Transaction, circuits: StoredCircuit[]): Promise<void> {
  await tx.query(
    `UPDATE integrations i
     SET consecutive_failures = c.failures, circuit_level = c.level, paused_until = c.paused_until,
       failing_since = c.failing_since
     FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::timestamptz[], $5::timestamptz[])
       AS c (id, failures, level, paused_until, failing_since)
     WHERE i.id = c.id`,
    [
      circuits.map(({ id }) => id),
      circuits.map(({ consecutiveFailures }) => consecutiveFailures),
      circuits.map(({ circuitLevel }) => circuitLevel),
      circuits.map(({ pausedUntil }) => pausedUntil),
      circuits.map(({ failingSince }) => failingSince),
    ],
    { name: 'write-circuits' },
  );
}

/** Undefined when it was disabled already. What still waited is dead; it can be replayed. */
export async function disableIntegration(
  db: Queryable,
  id: number,
  reason: string,
  now: Date,
): Promise<DisabledIntegration | undefined> {
  const [disabled] = await db.query<DisabledIntegration>(
    `UPDATE integrations SET disabled_at = $2, disabled_reason = $3 WHERE id = $1 AND disabled_at IS NULL
     RETURNING id, account_id AS "accountId", user_id AS "userId", disabled_reason AS reason`,
    [id, now, reason],
  );
  if (disabled !== undefined) {
    await db.query(
      `UPDATE deliveries SET status = 'dead', reason = $3, due_at = NULL, finished_at = $2
       WHERE integration_id = $1 AND finished_at IS NULL`,
      [id, now, `The webhook was disabled: ${reason}`],
    );
  }
  return disabled;
}

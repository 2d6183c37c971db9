import type { IdempotencyClaim, KeptAnswer } from '../idempotency';
import { anyValue } from './any-value';
import type { Queryable, Transaction } from './queryable';

/** The table idempotency_keys, which each service that keeps keys has; see docs/decisions/0010-idempotency-in-the-transaction.md. */

export async function findKeptAnswer(queryable: Queryable, name: Buffer, now: Date): Promise<KeptAnswer | undefined> {
  const [kept] = await findKeptAnswers(queryable, [name], now);
  return kept;
}

/** For each name its answer, if there is one. Expired keys do not count and are deleted. */
export async function findKeptAnswers(
  queryable: Queryable,
  names: Buffer[],
  now: Date,
): Promise<(KeptAnswer | undefined)[]> {
  const rows = await queryable.query<KeptAnswer & { name: Buffer; expired: boolean }>(
    `SELECT name, fingerprint, answer, expires_at <= $2 AS expired FROM idempotency_keys WHERE name = ANY (${anyValue('$1', 'bytea[]')})`,
    [names, now],
    { name: 'find-kept-answers' },
  );
  const expired = rows.flatMap((row) => (row.expired ? row.name : []));
  if (expired.length > 0) {
    await queryable.query('DELETE FROM idempotency_keys WHERE name = ANY ($1::bytea[]) AND expires_at <= $2', [
      expired,
      now,
    ]);
  }
  const kept = new Map(rows.flatMap((row) => (row.expired ? [] : [[row.name.toString('hex'), row]])));
  return names.map((name) => kept.get(name.toString('hex')));
}

/** Waits for another transaction that has claimed the key, and returns false once that has committed. */
export async function claimKey(tx: Transaction, claim: IdempotencyClaim, expiresAt: Date): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO idempotency_keys (name, fingerprint, answer, expires_at) VALUES ($1, $2, '', $3)
     ON CONFLICT (name) DO NOTHING RETURNING name`,
    [claim.name, claim.fingerprint, expiresAt],
    { name: 'claim-key' },
  );
  return rows.length === 1;
}

/** Runs in the transaction that claimed the key: no other transaction ever sees the key without its response. */
export async function keepAnswer(tx: Transaction, name: Buffer, answer: Uint8Array): Promise<void> {
  await tx.query('UPDATE idempotency_keys SET answer = $2 WHERE name = $1', [name, answer], { name: 'keep-answer' });
}

export async function deleteExpiredKeys(queryable: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await queryable.query(
    `DELETE FROM idempotency_keys WHERE name IN (
       SELECT name FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING 1 AS done`,
    [now, limit],
  );
  return rows.length;
}

import type { IdempotencyClaim, KeptAnswer } from '../idempotency';
import type { Queryable, Transaction } from './queryable';

/** The table idempotency_keys, which each service that keeps keys has; see docs/decisions/0010-idempotency-in-the-transaction.md. */

/** An expired key does not count and is deleted. */
export async function findKeptAnswer(queryable: Queryable, name: Buffer, now: Date): Promise<KeptAnswer | undefined> {
  const [kept] = await queryable.query<KeptAnswer & { expired: boolean }>(
    'SELECT fingerprint, answer, expires_at <= $2 AS expired FROM idempotency_keys WHERE name = $1',
    [name, now],
    { name: 'find-kept-answer' },
  );
  if (kept?.expired) {
    await queryable.query('DELETE FROM idempotency_keys WHERE name = $1 AND expires_at <= $2', [name, now]);
    return undefined;
  }
  return kept;
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

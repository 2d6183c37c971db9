import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';

export interface KeptCharge {
  fingerprint: Buffer;
  chargeId: number;
  /** Null until the payment provider has taken the charge. */
  answer: Buffer | null;
}

export const oneChargePerKey = 'idempotency_keys_pkey';

/** An expired key does not count and is replaced. */
export async function findKeptCharge(db: Queryable, name: Buffer, now: Date): Promise<KeptCharge | undefined> {
  const [kept] = await db.query<KeptCharge & { expired: boolean }>(
    `SELECT fingerprint, charge_id AS "chargeId", answer, expires_at <= $2 AS expired FROM idempotency_keys WHERE name = $1`,
    [name, now],
    { name: 'find-kept-charge' },
  );
  if (kept?.expired) {
    await db.query('DELETE FROM idempotency_keys WHERE name = $1 AND expires_at <= $2', [name, now]);
    return undefined;
  }
  return kept;
}

export async function keepAnswer(tx: Transaction, chargeId: number, answer: Uint8Array): Promise<void> {
  await tx.query('UPDATE idempotency_keys SET answer = $2 WHERE charge_id = $1', [chargeId, answer], {
    name: 'keep-charge-answer',
  });
}

import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Charge } from '../domain/charge';
import { chargeColumns, toCharge } from './charges';
import type { ChargeRow } from './charges';

/** Open tasks at the payment provider: stored before the first try, deleted when done. */
export type ProviderTask = 'create' | 'withdraw' | 'refund';

export interface TakenPayment {
  paymentId: string;
  paymentLink: string;
  paymentCode?: string;
  pixCode?: string;
  invoiceId?: string;
  invoiceLink?: string;
}

/** Records that the provider has accepted the charge; undefined if it was given up meanwhile. */
export async function completeCreation(db: Queryable, id: number, payment: TakenPayment): Promise<Charge | undefined> {
  const [row] = await db.query<ChargeRow>(
    `UPDATE charges
     SET payment_id = $2, payment_link = $3, payment_code = $4, pix_code = $5, invoice_id = $6, invoice_link = $7,
         provider_task = NULL, provider_try_at = NULL
     WHERE id = $1 AND provider_task = 'create'
     RETURNING ${chargeColumns}`,
    [
      id,
      payment.paymentId,
      payment.paymentLink,
      payment.paymentCode ?? null,
      payment.pixCode ?? null,
      payment.invoiceId ?? null,
      payment.invoiceLink ?? null,
    ],
    { name: 'complete-charge' },
  );
  return row && toCharge(row);
}

/**
 * Releases the account's place and the client's key; with a time, payments at the provider are withdrawn then. A charge whose payment
 * was reported although its creation never finished stays unchanged.
 */
export async function giveUpCreation(db: Queryable, id: number, now: Date, withdrawAt: Date | null): Promise<void> {
  await db.query(
    `WITH forgotten AS (
       DELETE FROM idempotency_keys k USING charges c
       WHERE k.charge_id = $1 AND k.answer IS NULL AND c.id = $1 AND c.provider_task = 'create' AND c.status IN ('PENDING', 'OVERDUE')
     )
     UPDATE charges c
     SET status = CASE WHEN o.open THEN 'CANCELLED' ELSE c.status END,
         status_updated_at = CASE WHEN o.open THEN $2 ELSE c.status_updated_at END,
         provider_task = CASE WHEN o.open AND $3::timestamptz IS NOT NULL THEN 'withdraw' END,
         provider_try_at = CASE WHEN o.open THEN $3 END
     FROM (SELECT id, status IN ('PENDING', 'OVERDUE') AS open FROM charges WHERE id = $1 FOR UPDATE) o
     WHERE c.id = o.id AND c.provider_task = 'create'`,
    [id, now, withdrawAt],
    { name: 'give-up-charge' },
  );
}

/** Stores the provider's id of a payment from a notification that arrived before the response to our request. */
export async function adoptPayment(db: Queryable, id: number, paymentId: string): Promise<void> {
  await db.query('UPDATE charges SET payment_id = $2 WHERE id = $1 AND payment_id IS NULL', [id, paymentId]);
}

export async function setTask(db: Queryable, id: number, task: ProviderTask, tryAt: Date): Promise<void> {
  await db.query('UPDATE charges SET provider_task = $2, provider_try_at = $3 WHERE id = $1', [id, task, tryAt]);
}

export async function clearTask(db: Queryable, id: number, task: ProviderTask): Promise<void> {
  await db.query(
    'UPDATE charges SET provider_task = NULL, provider_try_at = NULL WHERE id = $1 AND provider_task = $2',
    [id, task],
  );
}

/** The tasks that are due, each for one replica: no other replica gets them before `tryAgainAt`. */
export async function claimTasks(
  db: Queryable,
  now: Date,
  tryAgainAt: Date,
  limit: number,
): Promise<{ task: ProviderTask; charge: Charge }[]> {
  const rows = await db.query<ChargeRow & { providerTask: ProviderTask }>(
    `UPDATE charges SET provider_try_at = $2
     WHERE id IN (
       SELECT id FROM charges WHERE provider_task IS NOT NULL AND provider_try_at <= $1
       ORDER BY provider_try_at LIMIT $3 FOR UPDATE SKIP LOCKED
     )
     RETURNING ${chargeColumns}, provider_task AS "providerTask"`,
    [now, tryAgainAt, limit],
  );
  return rows.map(({ providerTask, ...row }) => ({ task: providerTask, charge: toCharge(row) }));
}

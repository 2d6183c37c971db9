import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { Charge, GatewayName } from '../domain/charge';
import type { NewCharge } from '../domain/charge-rules';
import { fromDecimal, toDecimal } from '../domain/money';

type Nullable<T> = { [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

type Sums = 'amount' | 'taxAmount' | 'totalAmount' | 'paidAmount' | 'refundedAmount';

export interface ChargeRow extends Nullable<Omit<Charge, Sums>> {
  amount: string;
  taxAmount: string;
  totalAmount: string;
  paidAmount: string | null;
  refundedAmount: string;
}

export const chargeColumns = `id, account_id AS "accountId", user_id AS "userId", gateway, type, payment_method AS "paymentMethod",
  payment_id AS "paymentId", payment_code AS "paymentCode", payment_link AS "paymentLink", pix_code AS "pixCode",
  invoice_id AS "invoiceId", invoice_link AS "invoiceLink", due_date AS "dueDate", amount, tax_amount AS "taxAmount",
  total_amount AS "totalAmount", description, status, status_updated_at AS "statusUpdatedAt", created_at AS "createdAt",
  paid_at AS "paidAt", received_at AS "receivedAt", refunded_at AS "refundedAt", has_erp_invoice AS "hasErpInvoice",
  paid_amount AS "paidAmount", refunded_amount AS "refundedAmount", chargeback, chargeback_at AS "chargebackAt",
  metadata::text AS metadata, page_token AS "pageToken"`;

export function toCharge(row: ChargeRow): Charge {
  const present = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  return {
    ...(present as Omit<Charge, Sums>),
    amount: fromDecimal(row.amount),
    taxAmount: fromDecimal(row.taxAmount),
    totalAmount: fromDecimal(row.totalAmount),
    paidAmount: row.paidAmount === null ? undefined : fromDecimal(row.paidAmount),
    refundedAmount: fromDecimal(row.refundedAmount),
  };
}

export const oneOpenCharge = 'charges_one_open';

/**
 * Takes the account's place for an open charge, and the client's key for it with it; violates `oneOpenCharge` or
 * `oneChargePerKey` when one of them is taken.
 */
export async function insertCharge(
  db: Queryable,
  charge: NewCharge & { accountId: number; userId: number; gateway: GatewayName; pageToken: string },
  now: Date,
  tryAt: Date,
  key?: { name: Buffer; fingerprint: Buffer; expiresAt: Date },
): Promise<Charge> {
  const [row] = await db.query<ChargeRow>(
    `WITH made AS (
       INSERT INTO charges (account_id, user_id, gateway, type, payment_method, due_date, amount, total_amount, description,
                            status, status_updated_at, created_at, metadata, page_token, provider_task, provider_try_at)
       VALUES ($1, $2, $3, 'CREDIT', $4, $5, $6, $6, $7, 'PENDING', $8, $8, $9, $10, 'create', $11)
       RETURNING *
     ), kept AS (
       INSERT INTO idempotency_keys (name, fingerprint, charge_id, expires_at)
       SELECT $12::bytea, $13::bytea, id, $14::timestamptz FROM made WHERE $12::bytea IS NOT NULL
     )
     SELECT ${chargeColumns} FROM made`,
    [
      charge.accountId,
      charge.userId,
      charge.gateway,
      charge.paymentMethod,
      charge.dueDate,
      toDecimal(charge.amount),
      charge.description,
      now,
      charge.metadata,
      charge.pageToken,
      tryAt,
      key?.name ?? null,
      key?.fingerprint ?? null,
      key?.expiresAt ?? null,
    ],
    { name: 'insert-charge' },
  );
  return toCharge(row!);
}

/** A charge that the payment provider has not accepted is not shown to clients. */
export async function findCharge(db: Queryable, accountId: number, id: number): Promise<Charge | undefined> {
  const [row] = await db.query<ChargeRow>(
    `SELECT ${chargeColumns} FROM charges WHERE account_id = $1 AND id = $2 AND payment_id IS NOT NULL`,
    [accountId, id],
    { name: 'find-charge' },
  );
  return row && toCharge(row);
}

export async function findChargeByToken(db: Queryable, token: string): Promise<Charge | undefined> {
  const [row] = await db.query<ChargeRow>(
    `SELECT ${chargeColumns} FROM charges WHERE page_token = $1 AND payment_id IS NOT NULL`,
    [token],
    { name: 'find-charge-by-token' },
  );
  return row && toCharge(row);
}

/** Always taken before the lock of the account's balance. */
export async function lockCharge(tx: Transaction, id: number): Promise<Charge | undefined> {
  const [row] = await tx.query<ChargeRow>(`SELECT ${chargeColumns} FROM charges WHERE id = $1 FOR UPDATE`, [id], {
    name: 'lock-charge',
  });
  return row && toCharge(row);
}

/** Finds a charge by the provider's payment id, or by our reference if the notification arrived before the id was stored. */
export async function lockChargeOfPayment(
  tx: Transaction,
  payment: { gateway: GatewayName; paymentId: string; chargeId?: number },
): Promise<Charge | undefined> {
  const [row] = await tx.query<ChargeRow>(
    `SELECT ${chargeColumns} FROM charges
     WHERE gateway = $1 AND (payment_id = $2 OR (payment_id IS NULL AND id = $3::bigint)) FOR UPDATE`,
    [payment.gateway, payment.paymentId, payment.chargeId ?? null],
    { name: 'lock-charge-of-payment' },
  );
  return row && toCharge(row);
}

/** Saves the result of a step of a locked charge. */
export async function saveStep(tx: Transaction, charge: Charge, now: Date): Promise<Charge> {
  const [row] = await tx.query<ChargeRow>(
    `UPDATE charges
     SET status = $2, status_updated_at = CASE WHEN status = $2 THEN status_updated_at ELSE $3 END,
         paid_at = CASE WHEN $4::numeric IS NULL THEN paid_at ELSE coalesce(paid_at, $3) END,
         received_at = CASE WHEN $2 = 'RECEIVED' THEN coalesce(received_at, $3) ELSE received_at END,
         paid_amount = $4, refunded_amount = $5, refunded_at = $6, chargeback = $7, chargeback_at = $8
     WHERE id = $1
     RETURNING ${chargeColumns}`,
    [
      charge.id,
      charge.status,
      now,
      charge.paidAmount === undefined ? null : toDecimal(charge.paidAmount),
      toDecimal(charge.refundedAmount),
      charge.refundedAt ?? null,
      charge.chargeback ?? null,
      charge.chargebackAt ?? null,
    ],
    { name: 'save-charge-step' },
  );
  return toCharge(row!);
}

/** Several replicas may do this at once: locked charges are skipped. */
export async function markOverdue(tx: Transaction, today: string, now: Date, limit: number): Promise<Charge[]> {
  const rows = await tx.query<ChargeRow>(
    `UPDATE charges SET status = 'OVERDUE', status_updated_at = $2
     WHERE id IN (
       SELECT id FROM charges WHERE status = 'PENDING' AND due_date < $1 AND payment_id IS NOT NULL
       ORDER BY due_date LIMIT $3 FOR UPDATE SKIP LOCKED
     )
     RETURNING ${chargeColumns}`,
    [today, now, limit],
    { name: 'mark-overdue' },
  );
  return rows.map(toCharge);
}

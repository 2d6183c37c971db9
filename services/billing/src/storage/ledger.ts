import type { Transaction } from '@sabia/service-kit/postgres/database';
import { toDecimal } from '../domain/money';
import type { Money } from '../domain/money';

export type Book = 'calls' | 'payments' | 'grants';

/** One movement of an account's credit and its other side. */
export interface Movement {
  accountId: number;
  kind: 'topup' | 'refund' | 'chargeback' | 'reversal' | 'call' | 'grant';
  /** The reference; each is booked once. */
  reference: string;
  description: string;
  callId?: string;
  chargeId?: number;
  at: Date;
  /** The change of the credit. */
  amount: Money;
  /** The credit after it. */
  balance: Money;
  /** Sums to minus the amount. */
  against: { book: Book; amount: Money }[];
}

/** Inserts all movements in one statement, as the database demands; after saveBalances. */
export async function writeMovements(tx: Transaction, movements: Movement[]): Promise<void> {
  if (movements.length === 0) {
    return;
  }
  const entries = movements.flatMap((movement, nth) => [
    // A loss that does not affect the account.
    ...(movement.amount === 0
      ? []
      : [{ nth, book: 'credit', amount: movement.amount, balance: toDecimal(movement.balance) }]),
    ...movement.against.map(({ book, amount }) => ({ nth, book, amount, balance: null })),
  ]);
  await tx.query(
    `WITH movement AS (
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::timestamptz[])
         WITH ORDINALITY AS m (account_id, kind, reference, description, call_id, charge_id, at, nth)
     ), written AS (
       INSERT INTO ledger_transactions (account_id, kind, reference, description, call_id, charge_id, at)
       SELECT account_id, kind, reference, description, call_id, charge_id, at FROM movement ORDER BY nth
       RETURNING id, account_id, kind, reference
     )
     INSERT INTO ledger_entries (transaction_id, account_id, book, amount, balance)
     SELECT w.id, w.account_id, e.book, e.amount, e.balance
     FROM written w
     JOIN movement m USING (account_id, kind, reference)
     JOIN unnest($8::bigint[], $9::text[], $10::numeric[], $11::numeric[]) AS e (nth, book, amount, balance) ON e.nth + 1 = m.nth`,
    [
      movements.map(({ accountId }) => accountId),
      movements.map(({ kind }) => kind),
      movements.map(({ reference }) => reference),
      movements.map(({ description }) => description),
      movements.map(({ callId }) => callId ?? null),
      movements.map(({ chargeId }) => chargeId ?? null),
      movements.map(({ at }) => at.toISOString()),
      entries.map(({ nth }) => nth),
      entries.map(({ book }) => book),
      entries.map(({ amount }) => toDecimal(amount)),
      entries.map(({ balance }) => balance),
    ],
    { name: 'write-movements' },
  );
}

/** Read under the account's lock, so that the result holds until the transaction ends. */
export async function isBooked(
  tx: Transaction,
  { accountId, kind, reference }: Pick<Movement, 'accountId' | 'kind' | 'reference'>,
): Promise<boolean> {
  const rows = await tx.query(
    'SELECT FROM ledger_transactions WHERE account_id = $1 AND kind = $2 AND reference = $3',
    [accountId, kind, reference],
    { name: 'find-movement' },
  );
  return rows.length > 0;
}

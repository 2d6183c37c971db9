import type { Transaction } from '@sabia/service-kit/postgres/database';
import { fromDecimal } from '../domain/money';
import type { Money } from '../domain/money';

export interface ToldBalance {
  accountId: number;
  balance: Money;
  reserved: Money;
}

interface Row {
  account_id: number;
  balance: string;
  reserved: string;
}

/** The most balances that are taken at a time. */
export const toldAtOnce = 500;

/**
 * Answers balances that differ from those last told, and notes them as told: those of the accounts, or any if none are named. Replicas
 * take turns, so that of two balances of an account the later one is told last.
 */
export async function takeUntold(tx: Transaction, accountIds: number[] | undefined): Promise<ToldBalance[]> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('told balances ' || current_schema(), 0))`, []);
  const rows = await tx.query<Row>(
    `WITH untold AS (
       SELECT b.account_id, b.balance, b.reserved FROM balances b LEFT JOIN told_balances t USING (account_id)
       WHERE ($1::bigint[] IS NULL OR b.account_id = ANY ($1))
         AND (coalesce(t.balance, 0), coalesce(t.reserved, 0)) <> (b.balance, b.reserved)
       LIMIT ${toldAtOnce}
     )
     INSERT INTO told_balances (account_id, balance, reserved) SELECT account_id, balance, reserved FROM untold
     ON CONFLICT (account_id) DO UPDATE SET balance = excluded.balance, reserved = excluded.reserved
     RETURNING account_id, balance, reserved`,
    [accountIds ?? null],
  );
  return rows.map(({ account_id, balance, reserved }) => ({
    accountId: account_id,
    balance: fromDecimal(balance),
    reserved: fromDecimal(reserved),
  }));
}

import { anyValue } from '@sabia/service-kit/postgres/any-value';
import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { Credit, Warnings } from '../domain/credit';
import { fromDecimal, toDecimal } from '../domain/money';

export interface Balance extends Credit, Warnings {
  accountId: number;
  /** Entries of the statement. */
  movements: number;
}

interface BalanceRow {
  account_id: number;
  balance: string;
  reserved: string;
  movements: number;
  low: boolean;
  exhausted: boolean;
}

const columns = 'account_id, balance, reserved, movements, low, exhausted';
const selectLocked = `SELECT ${columns} FROM balances WHERE account_id = ANY (${anyValue('$1', 'bigint[]')}) ORDER BY account_id`;

/** An account that never had credit has no row, which counts as zero. */
export async function readBalance(db: Queryable, accountId: number): Promise<Balance> {
  const [row] = await db.query<BalanceRow>(`SELECT ${columns} FROM balances WHERE account_id = $1`, [accountId], {
    name: 'read-balance',
  });
  return row === undefined ? emptyBalance(accountId) : toBalance(row);
}

/**
 * Every change of an account's money takes this lock first: it makes calls, charges and events of one account
 * take turns, on every replica. Locked in order, so that two who need several accounts cannot wait for each other.
 */
export async function lockBalances(tx: Transaction, accountIds: number[]): Promise<Map<number, Balance>> {
  const wanted = [...new Set(accountIds)];
  let rows = await lockRows(tx, wanted);
  if (rows.length < wanted.length) {
    await tx.query('INSERT INTO balances (account_id) SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING', [
      wanted.sort((a, b) => a - b),
    ]);
    rows = await lockRows(tx, wanted);
  }
  return new Map(rows.map((row) => [row.account_id, toBalance(row)]));
}

/** Those of the accounts whose lock is free: nobody is waited for. */
export async function lockFreeBalances(tx: Transaction, accountIds: number[]): Promise<Map<number, Balance>> {
  const rows = await tx.query<BalanceRow>(`${selectLocked} FOR UPDATE SKIP LOCKED`, [[...new Set(accountIds)]], {
    name: 'lock-free-balances',
  });
  return new Map(rows.map((row) => [row.account_id, toBalance(row)]));
}

export async function lockBalance(tx: Transaction, accountId: number): Promise<Balance> {
  return (await lockBalances(tx, [accountId])).get(accountId)!;
}

/** To be called before inserting the movements that explain the new balances, in the same transaction. */
export async function saveBalances(tx: Transaction, balances: Balance[]): Promise<void> {
  await tx.query(
    `UPDATE balances b
     SET balance = n.balance, reserved = n.reserved, movements = n.movements, low = n.low, exhausted = n.exhausted
     FROM unnest(${anyValue('$1', 'bigint[]')}, $2::numeric[], $3::numeric[], $4::bigint[], $5::boolean[], $6::boolean[])
       AS n (account_id, balance, reserved, movements, low, exhausted)
     WHERE b.account_id = n.account_id`,
    [
      balances.map(({ accountId }) => accountId),
      balances.map(({ balance }) => toDecimal(balance)),
      balances.map(({ reserved }) => toDecimal(reserved)),
      balances.map(({ movements }) => movements),
      balances.map(({ low }) => low),
      balances.map(({ exhausted }) => exhausted),
    ],
    { name: 'save-balances' },
  );
}

function lockRows(tx: Transaction, accountIds: number[]): Promise<BalanceRow[]> {
  return tx.query<BalanceRow>(`${selectLocked} FOR UPDATE`, [accountIds], { name: 'lock-balances' });
}

function emptyBalance(accountId: number): Balance {
  return { accountId, balance: 0, reserved: 0, movements: 0, low: false, exhausted: false };
}

function toBalance(row: BalanceRow): Balance {
  return {
    accountId: row.account_id,
    balance: fromDecimal(row.balance),
    reserved: fromDecimal(row.reserved),
    movements: row.movements,
    low: row.low,
    exhausted: row.exhausted,
  };
}

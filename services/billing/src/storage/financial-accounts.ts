import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import { contactFields, identityFields } from '../domain/financial-account';
import type { CheckedChange, FinancialAccount, TextField } from '../domain/financial-account';
import type { TaxId } from '../domain/tax-id';

const textFields = [...contactFields, ...identityFields];

const columnOf = (field: TextField): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Fields that the account has not set are filled with those of identity. */
const profileColumns: Partial<Record<TextField, string>> = { company: 'name', email: 'email', phone: 'phone' };

const selectAccount = `SELECT f.account_id AS "accountId", f.status, f.cpf_cnpj AS "cpfCnpj", f.person_type AS "personType",
  f.customer_id AS "customerId", f.updated_at AS "updatedAt", ${textFields
    .map((field) => {
      const own = `f.${columnOf(field)}`;
      const told = profileColumns[field];
      return `${told === undefined ? own : `coalesce(${own}, p.${told})`} AS "${field}"`;
    })
    .join(', ')}
  FROM financial_accounts f LEFT JOIN account_profiles p ON p.account_id = f.account_id`;

type AccountRow = Record<string, unknown>;

const toAccount = (row: AccountRow): FinancialAccount =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as FinancialAccount;

export async function findFinancialAccount(db: Queryable, accountId: number): Promise<FinancialAccount | undefined> {
  const [row] = await db.query<AccountRow>(`${selectAccount} WHERE f.account_id = $1`, [accountId], {
    name: 'find-financial-account',
  });
  return row && toAccount(row);
}

export async function lockFinancialAccount(tx: Transaction, accountId: number): Promise<FinancialAccount | undefined> {
  const [row] = await tx.query<AccountRow>(`${selectAccount} WHERE f.account_id = $1 FOR UPDATE OF f`, [accountId], {
    name: 'lock-financial-account',
  });
  return row && toAccount(row);
}

/** Sets the account to pending, to be registered with the payment provider; an active one stays unchanged. */
export async function savePending(
  tx: Transaction,
  account: { accountId: number; gateway: string; taxId: TaxId },
  now: Date,
  tryAt: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO financial_accounts AS f (account_id, status, cpf_cnpj, person_type, gateway, created_at, updated_at, provider_try_at)
     VALUES ($1, 'PENDING', $2, $3, $4, $5, $5, $6)
     ON CONFLICT (account_id) DO UPDATE
     SET cpf_cnpj = excluded.cpf_cnpj, person_type = excluded.person_type, gateway = excluded.gateway,
         updated_at = excluded.updated_at, provider_try_at = excluded.provider_try_at
     WHERE f.status = 'PENDING'`,
    [account.accountId, account.taxId.value, account.taxId.personType, account.gateway, now, tryAt],
  );
}

export async function applyChange(
  tx: Transaction,
  accountId: number,
  change: CheckedChange,
  now: Date,
  tryAt: Date,
): Promise<void> {
  const values: unknown[] = [accountId, now, tryAt];
  const set = (column: string, value: unknown): string => `${column} = $${values.push(value)}`;
  const sets = textFields
    .filter((field) => change[field] !== undefined)
    .map((field) => set(columnOf(field), change[field]));
  if (change.cpfCnpj !== undefined) {
    sets.push(set('cpf_cnpj', change.cpfCnpj), set('person_type', change.personType));
  }
  await tx.query(
    `UPDATE financial_accounts SET ${['updated_at = $2', 'provider_try_at = $3', ...sets].join(', ')} WHERE account_id = $1`,
    values,
  );
}

/** Marks the account as registered in the state that was read; later changes remain to be sent. */
export async function markTold(db: Queryable, account: FinancialAccount, customerId: string): Promise<void> {
  await db.query(
    `UPDATE financial_accounts
     SET status = 'ACTIVE', customer_id = $3, provider_try_at = CASE WHEN updated_at = $4 THEN NULL ELSE provider_try_at END
     WHERE account_id = $1 AND cpf_cnpj = $2`,
    [account.accountId, account.cpfCnpj, customerId, account.updatedAt],
  );
}

/** Records the provider's refusal: no retry until the account changes. */
export async function markRefused(db: Queryable, account: FinancialAccount): Promise<void> {
  await db.query('UPDATE financial_accounts SET provider_try_at = NULL WHERE account_id = $1 AND cpf_cnpj = $2', [
    account.accountId,
    account.cpfCnpj,
  ]);
}

/** Accounts to be sent to the provider, each leased to one replica until `tryAgainAt`. */
export async function claimUntold(db: Queryable, now: Date, tryAgainAt: Date, limit: number): Promise<number[]> {
  const rows = await db.query<{ accountId: number }>(
    `UPDATE financial_accounts SET provider_try_at = $2
     WHERE account_id IN (
       SELECT account_id FROM financial_accounts WHERE provider_try_at <= $1
       ORDER BY provider_try_at LIMIT $3 FOR UPDATE SKIP LOCKED
     )
     RETURNING account_id AS "accountId"`,
    [now, tryAgainAt, limit],
  );
  return rows.map(({ accountId }) => accountId);
}

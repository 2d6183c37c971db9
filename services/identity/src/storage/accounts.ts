import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { Account, AccountChange } from '../domain/account';
import type { SignUp } from '../domain/sign-up';

export const accountColumns = `id, uuid, domain, name, email, phone, time_zone AS "timeZone",
  area_code AS "areaCode", recording_format AS "recordingFormat", language, created_at AS "createdAt", updated_at AS "updatedAt"`;

export async function insertAccount(
  tx: Transaction,
  signUp: SignUp,
  { timeZone, now }: { timeZone: string; now: Date },
): Promise<Account> {
  const [account] = await tx.query<Account>(
    `INSERT INTO accounts (domain, name, email, phone, crm, user_quantity, time_zone, language, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $9, $8, $8)
     RETURNING ${accountColumns}`,
    [
      signUp.domain,
      signUp.organizationName,
      signUp.email,
      signUp.phone,
      signUp.crm,
      signUp.userQuantity,
      timeZone,
      now,
      signUp.language,
    ],
    { name: 'insert-account' },
  );
  return account!;
}

export async function findAccount(db: Queryable, id: number): Promise<Account | undefined> {
  const [account] = await db.query<Account>(`SELECT ${accountColumns} FROM accounts WHERE id = $1`, [id], {
    name: 'find-account',
  });
  return account;
}

export async function updateAccount(
  tx: Transaction,
  id: number,
  change: AccountChange,
  now: Date,
): Promise<Account | undefined> {
  const [account] = await tx.query<Account>(
    `UPDATE accounts
     SET name = coalesce($2, name), email = coalesce($3, email), phone = coalesce($4, phone), updated_at = $5,
       area_code = CASE WHEN $6 THEN $7 ELSE area_code END, recording_format = coalesce($8, recording_format),
       language = coalesce($9, language), time_zone = coalesce($10, time_zone)
     WHERE id = $1
     RETURNING ${accountColumns}`,
    [
      id,
      change.name ?? null,
      change.email ?? null,
      change.phone ?? null,
      now,
      change.areaCode !== undefined,
      change.areaCode ?? null,
      change.recordingFormat ?? null,
      change.language ?? null,
      change.timeZone ?? null,
    ],
    { name: 'update-account' },
  );
  return account;
}

/** Returns the account if this statement has activated it, undefined if it was active before. */
export async function activateAccount(tx: Transaction, id: number, now: Date): Promise<Account | undefined> {
  const [account] = await tx.query<Account>(
    `UPDATE accounts SET activated_at = $2, updated_at = $2 WHERE id = $1 AND activated_at IS NULL RETURNING ${accountColumns}`,
    [id, now],
    { name: 'activate-account' },
  );
  return account;
}

/** Locks the account before its number of ADMINs may change; inserts that refer to the account are not blocked. */
export async function lockAccount(tx: Transaction, id: number): Promise<void> {
  await tx.query('SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id], { name: 'lock-account' });
}

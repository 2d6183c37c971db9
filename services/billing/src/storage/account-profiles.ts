import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface AccountProfile {
  accountId: number;
  name: string;
  email: string;
  phone: string;
  toldAt: Date;
}

/** The newest event counts, in whatever order events arrive. */
export async function saveProfile(db: Queryable, profile: AccountProfile): Promise<void> {
  await db.query(
    `INSERT INTO account_profiles AS p (account_id, name, email, phone, told_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id) DO UPDATE
     SET name = excluded.name, email = excluded.email, phone = excluded.phone, told_at = excluded.told_at
     WHERE p.told_at <= excluded.told_at`,
    [profile.accountId, profile.name, profile.email, profile.phone, profile.toldAt],
  );
}

export async function deleteProfile(db: Queryable, accountId: number): Promise<void> {
  await db.query('DELETE FROM account_profiles WHERE account_id = $1', [accountId]);
}

/** Whether identity has told of the account, or money was moved for it. */
export async function isAccountKnown(db: Queryable, accountId: number): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }>(
    `SELECT EXISTS (SELECT FROM account_profiles WHERE account_id = $1)
         OR EXISTS (SELECT FROM balances WHERE account_id = $1) AS known`,
    [accountId],
  );
  return row!.known;
}

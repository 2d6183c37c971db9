import { anyValue } from '@sabia/service-kit/postgres/any-value';
import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { NewUser } from '../domain/new-user';
import type { User, UserReference } from '../domain/user';
import type { UserChange } from '../domain/user-change';

export const userColumns = `id, uuid, account_id AS "accountId", name, email, pending_email AS "pendingEmail", phone, role,
  email_verified AS "emailVerified",
  created_at AS "createdAt", updated_at AS "updatedAt", last_login_at AS "lastLoginAt", language`;

export interface Credentials {
  id: number;
  accountId: number;
  email: string;
  emailVerified: boolean;
  passwordHash: string;
  /** Null unless the account is suspended. */
  suspensionReason: string | null;
}

export async function insertUser(
  tx: Transaction,
  accountId: number,
  user: Omit<NewUser, 'password'> & { passwordHash: string },
  now: Date,
): Promise<User> {
  const [row] = await tx.query<User>(
    `INSERT INTO users (account_id, name, email, phone, role, email_verified, password_hash, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
     RETURNING ${userColumns}`,
    [accountId, user.name, user.email, user.phone, user.role, user.emailVerified, user.passwordHash, now],
    { name: 'insert-user' },
  );
  return row!;
}

export async function findUser(db: Queryable, accountId: number, reference: UserReference): Promise<User | undefined> {
  const [user] =
    'id' in reference
      ? await db.query<User>(
          `SELECT ${userColumns} FROM users WHERE account_id = $1 AND id = $2`,
          [accountId, reference.id],
          { name: 'find-user-by-id' },
        )
      : await db.query<User>(
          `SELECT ${userColumns} FROM users WHERE account_id = $1 AND uuid = $2`,
          [accountId, reference.uuid],
          { name: 'find-user-by-uuid' },
        );
  return user;
}

/** For each of those asked for the user of that account with that id. */
export async function findUsers(
  db: Queryable,
  asked: readonly { accountId: number; id: number }[],
): Promise<(User | undefined)[]> {
  const users = await db.query<User>(
    `SELECT ${userColumns} FROM users WHERE id = ANY (${anyValue('$1', 'bigint[]')})`,
    [asked.map(({ id }) => id)],
    { name: 'find-users' },
  );
  return asked.map(({ accountId, id }) => users.find((user) => user.id === id && user.accountId === accountId));
}

export async function findUserById(db: Queryable, id: number): Promise<User | undefined> {
  const [user] = await db.query<User>(`SELECT ${userColumns} FROM users WHERE id = $1`, [id], {
    name: 'find-user-of-any-account',
  });
  return user;
}

export async function lockUser(tx: Transaction, id: number): Promise<User | undefined> {
  const [user] = await tx.query<User>(`SELECT ${userColumns} FROM users WHERE id = $1 FOR UPDATE`, [id], {
    name: 'lock-user',
  });
  return user;
}

/** The user who logs in with this address: its confirmed owner, otherwise the newest user who waits for its confirmation. */
export async function findCredentials(db: Queryable, email: string): Promise<Credentials | undefined> {
  const [row] = await db.query<Credentials>(
    `SELECT u.id, u.account_id AS "accountId", u.email, u.email_verified AS "emailVerified", u.password_hash AS "passwordHash",
            a.suspension_reason AS "suspensionReason"
     FROM users u JOIN accounts a ON a.id = u.account_id
     WHERE u.email = $1
     ORDER BY u.email_verified DESC, u.id DESC
     LIMIT 1`,
    [email],
    { name: 'find-credentials' },
  );
  return row;
}

export async function findPasswordHash(db: Queryable, userId: number): Promise<string | undefined> {
  const [row] = await db.query<{ passwordHash: string }>(
    'SELECT password_hash AS "passwordHash" FROM users WHERE id = $1',
    [userId],
    { name: 'find-password-hash' },
  );
  return row?.passwordHash;
}

export async function updateUser(tx: Transaction, id: number, change: UserChange, now: Date): Promise<User> {
  const [user] = await tx.query<User>(
    `UPDATE users
     SET name = $2, email = $3, pending_email = $4, phone = $5, role = $6, email_verified = $7, updated_at = $8,
       language = $9
     WHERE id = $1
     RETURNING ${userColumns}`,
    [
      id,
      change.name,
      change.email,
      change.pendingEmail,
      change.phone,
      change.role,
      change.emailVerified,
      now,
      change.language,
    ],
    { name: 'update-user' },
  );
  return user!;
}

export async function setPasswordHash(tx: Queryable, id: number, passwordHash: string, now: Date): Promise<void> {
  await tx.query('UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1', [id, passwordHash, now], {
    name: 'set-password-hash',
  });
}

/** Fails if the password has changed since it was checked. */
export async function recordLogin(
  tx: Transaction,
  login: { userId: number; checkedHash: string; newHash: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    'UPDATE users SET last_login_at = $3, password_hash = $4 WHERE id = $1 AND password_hash = $2 RETURNING id',
    [login.userId, login.checkedHash, login.now, login.newHash],
    { name: 'record-login' },
  );
  return rows.length === 1;
}

export async function deleteUser(tx: Transaction, id: number): Promise<void> {
  await tx.query('DELETE FROM users WHERE id = $1', [id], { name: 'delete-user' });
}

export async function countAdmins(tx: Transaction, accountId: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM users WHERE account_id = $1 AND role = 'ADMIN'`,
    [accountId],
    { name: 'count-admins' },
  );
  return row!.count;
}

/** How many users the account may have, if it has as many or more. */
export async function findReachedLimit(db: Queryable, accountId: number): Promise<number | undefined> {
  const [row] = await db.query<{ limit: number }>(
    `SELECT users_limit AS limit FROM accounts
     WHERE id = $1 AND users_limit <= (SELECT count(*) FROM users WHERE account_id = $1)`,
    [accountId],
    { name: 'find-reached-limit' },
  );
  return row?.limit;
}

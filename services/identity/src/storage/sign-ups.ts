import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { Account } from '../domain/account';
import type { SignUp } from '../domain/sign-up';
import { accountColumns } from './accounts';

/** Sign-ups: accounts that are not confirmed yet, each with its one user. */

/**
 * Updates an existing sign-up that is repeated; undefined when there is none. Its links stay valid. It expires with the first one:
 * otherwise repeating an unconfirmed sign-up would reserve its domain for ever.
 */
export async function renewSignUp(
  tx: Transaction,
  signUp: SignUp,
  passwordHash: string,
  now: Date,
): Promise<{ account: Account; userId: number } | undefined> {
  const [account] = await tx.query<Account>(
    `UPDATE accounts SET name = $3, phone = $4, crm = $5, user_quantity = $6, language = $8, updated_at = $7
     WHERE domain = $1 AND activated_at IS NULL
       AND EXISTS (SELECT FROM users WHERE account_id = accounts.id AND email = $2)
     RETURNING ${accountColumns}`,
    [
      signUp.domain,
      signUp.email,
      signUp.organizationName,
      signUp.phone,
      signUp.crm,
      signUp.userQuantity,
      now,
      signUp.language,
    ],
    { name: 'renew-sign-up' },
  );
  if (account === undefined) {
    return undefined;
  }
  const [user] = await tx.query<{ id: number }>(
    `UPDATE users SET name = $2, phone = $3, password_hash = $4, updated_at = $5
     WHERE account_id = $1
     RETURNING id`,
    [account.id, signUp.organizationName, signUp.phone, passwordHash, now],
    { name: 'renew-sign-up-user' },
  );
  return { account, userId: user!.id };
}

/** Deletes all sign-ups made before the time, or only the one with this domain. */
export async function deleteExpiredSignUps(tx: Transaction, madeBefore: Date, domain?: string): Promise<Account[]> {
  return tx.query<Account>(
    `DELETE FROM accounts
     WHERE activated_at IS NULL AND created_at <= $1 AND ($2::text IS NULL OR domain = $2)
     RETURNING ${accountColumns}`,
    [madeBefore, domain ?? null],
    { name: 'delete-expired-sign-ups' },
  );
}

export async function deleteSignUpsOf(tx: Transaction, email: string): Promise<Account[]> {
  return tx.query<Account>(
    `DELETE FROM accounts
     WHERE activated_at IS NULL AND id IN (SELECT account_id FROM users WHERE email = $1)
     RETURNING ${accountColumns}`,
    [email],
    { name: 'delete-sign-ups-of' },
  );
}

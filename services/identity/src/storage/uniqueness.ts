import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { signUpKeptMs } from '../domain/sign-up';

export type NameField = 'email' | 'domain';

export interface WantedNames {
  email: string;
  domain?: string;
  /** The account in which the e-mail must be unique also among unconfirmed ones. */
  accountId?: number;
  exceptUserId?: number;
}

/**
 * Locks e-mail addresses and domains for one transaction at a time, always in the same order and before any row, so that transactions
 * do not deadlock.
 */
export async function holdNames(tx: Transaction, names: string[]): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended('identity name ' || name, 0) AS key FROM unnest($1::text[]) AS name ORDER BY key
     ) AS keys`,
    [names],
    { name: 'hold-names' },
  );
}

/**
 * An e-mail is taken once it is confirmed, and for a while after its user has changed it. A domain is taken unless it belongs to an
 * unconfirmed sign-up that is too old or has the same e-mail. The result is valid while the names are locked.
 */
export async function findTaken(db: Queryable, wanted: WantedNames, now: Date): Promise<NameField[]> {
  const [row] = await db.query<{ email: boolean; domain: boolean }>(
    `SELECT EXISTS (
              SELECT FROM users WHERE email = $1 AND (email_verified OR account_id = $3) AND id IS DISTINCT FROM $4
            ) OR EXISTS (
              SELECT FROM former_emails WHERE email = $1 AND until > $5 AND user_id IS DISTINCT FROM $4
            ) AS email,
            EXISTS (
              SELECT FROM accounts a WHERE a.domain = $2 AND NOT (a.activated_at IS NULL AND (
                a.created_at <= $6 OR EXISTS (SELECT FROM users WHERE account_id = a.id AND email = $1)
              ))
            ) AS domain`,
    [
      wanted.email,
      wanted.domain ?? null,
      wanted.accountId ?? null,
      wanted.exceptUserId ?? null,
      now,
      new Date(now.getTime() - signUpKeptMs),
    ],
    { name: 'find-taken' },
  );
  return (['email', 'domain'] as const).filter((field) => row![field]);
}

const fieldOfConstraint = {
  users_email_key: 'email',
  users_account_email_key: 'email',
  accounts_domain_key: 'domain',
} as const;

/** The field whose value another request took first, if the error says so. */
export function takenFirst(error: unknown): NameField | undefined {
  const found = Object.entries(fieldOfConstraint).find(([constraint]) => isUniqueViolation(error, constraint));
  return found?.[1];
}

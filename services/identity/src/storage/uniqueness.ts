import { invalid } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { Violations, taken } from '@sabia/service-kit/validation/violations';

/** Saves the cost of a password hash in the common case; the constraints decide when two come at once. */
export async function refuseTaken(
  db: Queryable,
  context: 'account' | 'user',
  wanted: { email: string; domain?: string; exceptUserId?: number },
): Promise<void> {
  const [row] = await db.query<{ email: boolean; domain: boolean }>(
    `SELECT EXISTS (SELECT FROM users WHERE email = $1 AND id IS DISTINCT FROM $3) AS email,
            EXISTS (SELECT FROM accounts WHERE domain = $2) AS domain`,
    [wanted.email, wanted.domain ?? null, wanted.exceptUserId ?? null],
    { name: 'refuse-taken' },
  );
  const violations = new Violations();
  if (row!.email) {
    violations.add('email', ...taken);
  }
  if (row!.domain) {
    violations.add('domain', ...taken);
  }
  violations.throwIfAny(context);
}

const fieldOfConstraint = { users_email_key: 'email', accounts_domain_key: 'domain' };

/** A lost race reads like a late check: 422 on the field that somebody else took first. */
export async function namingTakenFields<T>(context: 'account' | 'user', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    for (const [constraint, field] of Object.entries(fieldOfConstraint)) {
      if (isUniqueViolation(error, constraint)) {
        throw invalid(context, [{ field, code: taken[0], message: taken[1] }]);
      }
    }
    throw error;
  }
}

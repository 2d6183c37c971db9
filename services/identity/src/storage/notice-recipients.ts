import type { Queryable } from '@sabia/service-kit/postgres/database';

/**
 * The user, if there still is one with a confirmed address; otherwise the ADMINs of the account who have one. An address that is not
 * confirmed may belong to a stranger.
 */
export function findNoticeRecipients(
  db: Queryable,
  accountId: number,
  userId: number,
): Promise<{ id: number; email: string }[]> {
  return db.query(
    `WITH confirmed AS (SELECT id, email, role FROM users WHERE account_id = $1 AND email_verified)
     SELECT id, email FROM confirmed
     WHERE id = $2 OR (role = 'ADMIN' AND NOT EXISTS (SELECT FROM confirmed WHERE id = $2))
     ORDER BY id`,
    [accountId, userId],
    { name: 'find-notice-recipients' },
  );
}

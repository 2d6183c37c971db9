import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Notes a suspension, or its end (null). The newest event wins, in whatever order the events arrive; false: this one was not the newest. */
export async function saveSuspension(
  db: Queryable,
  { accountId, reason, toldAt }: { accountId: number; reason: string | null; toldAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO suspended_accounts AS s (account_id, reason, told_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) DO UPDATE SET reason = excluded.reason, told_at = excluded.told_at
     WHERE s.told_at <= excluded.told_at
     RETURNING account_id`,
    [accountId, reason, toldAt],
  );
  return rows.length > 0;
}

/** Undefined: the account is not suspended. */
export async function findSuspension(db: Queryable, accountId: number): Promise<string | undefined> {
  const [row] = await db.query<{ reason: string }>(
    'SELECT reason FROM suspended_accounts WHERE account_id = $1 AND reason IS NOT NULL',
    [accountId],
  );
  return row?.reason;
}

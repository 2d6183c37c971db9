import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Null: as many live calls as every account. The newest event wins, in whatever order the events arrive. */
export async function saveLimit(
  db: Queryable,
  { accountId, liveCalls, toldAt }: { accountId: number; liveCalls: number | null; toldAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO account_limits AS l (account_id, live_calls, told_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) DO UPDATE SET live_calls = excluded.live_calls, told_at = excluded.told_at
     WHERE l.told_at <= excluded.told_at`,
    [accountId, liveCalls, toldAt],
  );
}

import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Null: as every account. */
export interface AccountLimits {
  liveCalls: number | null;
  recordingRetentionDays: number | null;
}

/** The newest event wins, in whatever order the events arrive. */
export async function saveLimits(
  db: Queryable,
  { accountId, liveCalls, recordingRetentionDays, toldAt }: AccountLimits & { accountId: number; toldAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO account_limits AS l (account_id, live_calls, recording_retention_days, told_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id) DO UPDATE SET live_calls = excluded.live_calls,
       recording_retention_days = excluded.recording_retention_days, told_at = excluded.told_at
     WHERE l.told_at <= excluded.told_at`,
    [accountId, liveCalls, recordingRetentionDays, toldAt],
  );
}

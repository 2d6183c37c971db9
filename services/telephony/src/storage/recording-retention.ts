import type { Queryable } from '@sabia/service-kit/postgres/database';

// What is here is in the index recordings_of_account, which is walked account by account: a clean costs a look for each account
// that has recordings, and what it removes. It does not matter how many stay.
const isKept = 'recorded_at IS NOT NULL AND deleted_at IS NULL';

export interface RecordingsOfAccount {
  accountId: number;
  /** When the first of those that are kept was stored. */
  oldest: Date;
  /** For how many days the account's own limit keeps them; null: it has none. */
  ownDays: number | null;
}

/** Lists accounts with recordings, beginning behind `after`. */
export async function listAccountsWithRecordings(
  queryable: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<RecordingsOfAccount[]> {
  const oldestOfNext = (account: string): string =>
    `SELECT account_id, recorded_at FROM recordings WHERE ${isKept} AND account_id > ${account} ORDER BY account_id, recorded_at LIMIT 1`;
  return queryable.query<RecordingsOfAccount>(
    `WITH RECURSIVE oldest AS (
       (${oldestOfNext('$1::bigint')})
       UNION ALL
       SELECT next.* FROM oldest CROSS JOIN LATERAL (${oldestOfNext('oldest.account_id')}) AS next
     )
     SELECT account_id AS "accountId", recorded_at AS oldest, recording_retention_days AS "ownDays"
     FROM (SELECT * FROM oldest LIMIT $2) AS page LEFT JOIN account_limits USING (account_id) ORDER BY account_id`,
    [after, limit],
  );
}

export interface Expiry {
  accountId: number;
  before: Date;
  now: Date;
  limit: number;
}

/** Deletes recordings of an account for all readers and removes the links from their calls; the store still has the audio. Returns their number. */
export async function deleteOlderThan(
  queryable: Queryable,
  { accountId, before, now, limit }: Expiry,
): Promise<number> {
  const [done] = await queryable.query<{ deleted: number }>(
    `WITH old AS (
       UPDATE recordings SET deleted_at = $3
       WHERE call_id = ANY (ARRAY(
         SELECT call_id FROM recordings WHERE account_id = $1 AND recorded_at < $2 AND ${isKept} ORDER BY recorded_at LIMIT $4
         FOR UPDATE SKIP LOCKED
       ))
       RETURNING call_id
     ), unlinked AS (
       UPDATE calls SET record_url = NULL FROM old WHERE calls.id = old.call_id
     )
     SELECT count(*) AS deleted FROM old`,
    [accountId, before, now, limit],
  );
  return done?.deleted ?? 0;
}

export interface Unremoved {
  callId: string;
  deletedAt: Date;
}

/** Lists deleted recordings that are still in the store, the oldest first, beginning behind `after`. */
export async function listUnremoved(
  queryable: Queryable,
  { after, limit }: { after: Unremoved | undefined; limit: number },
): Promise<Unremoved[]> {
  return queryable.query<Unremoved>(
    `SELECT call_id AS "callId", deleted_at AS "deletedAt" FROM recordings
     WHERE deleted_at IS NOT NULL AND removed_at IS NULL
       AND (deleted_at, call_id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::uuid, $3::uuid))
     ORDER BY deleted_at, call_id LIMIT $4`,
    [after?.deletedAt ?? null, after?.callId ?? null, '00000000-0000-0000-0000-000000000000', limit],
  );
}

/** Forgets recordings that the store has removed. A row stays while the switch may have a copy, which is to be deleted there, too. */
export async function forgetRemoved(queryable: Queryable, callIds: string[], now: Date): Promise<void> {
  await queryable.query(
    `WITH forgotten AS (DELETE FROM recordings WHERE call_id = ANY ($1::uuid[]) AND drop_at IS NULL)
     UPDATE recordings SET removed_at = $2 WHERE call_id = ANY ($1::uuid[]) AND drop_at IS NOT NULL`,
    [callIds, now],
  );
}

/** Whether the call had a recording whose time is over: each has a row from the answer on, until its audio is removed. */
export async function isExpired(queryable: Queryable, callId: string): Promise<boolean> {
  const [expired] = await queryable.query(
    `SELECT FROM calls LEFT JOIN recordings ON call_id = id
     WHERE id = $1::uuid AND record AND answered_at IS NOT NULL AND ended_at IS NOT NULL AND (call_id IS NULL OR deleted_at IS NOT NULL)`,
    [callId],
  );
  return expired !== undefined;
}

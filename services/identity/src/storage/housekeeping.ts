import type { Queryable } from '@sabia/service-kit/postgres/database';

const day = 24 * 60 * 60 * 1000;
/** How long an expired token is distinguished from an unknown one. */
const keepExpiredTokensMs = 30 * day;
/** How long a used or expired link is distinguished from an unknown one. */
const keepSpentLinksMs = 7 * day;

/** Deletes rows that no longer have an effect. Several replicas may do this at once. */
export async function deleteOutdatedRows(database: Queryable, now: Date): Promise<void> {
  const before = (ageMs: number) => new Date(now.getTime() - ageMs);
  await database.query('DELETE FROM access_tokens WHERE expires_at < $1', [before(keepExpiredTokensMs)]);
  await database.query('DELETE FROM one_time_tokens WHERE expires_at < $1', [before(keepSpentLinksMs)]);
  await database.query('DELETE FROM login_throttle WHERE window_ends_at < $1', [now]);
  await database.query('DELETE FROM former_emails WHERE until < $1', [now]);
}

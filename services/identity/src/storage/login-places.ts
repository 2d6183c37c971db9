import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { ThrottleKey } from '../domain/login-throttle';

export type Outcome = 'success' | 'failure' | 'undecided';

/** Longer than any request: an older place belongs to a process that died. */
const placeLeaseMs = 20_000;

/** Returns the keys that had a place left. Rows are locked in the order of their keys, so that attempts do not deadlock. */
export async function takePlaces(
  db: Queryable,
  keys: ThrottleKey[],
  windowSeconds: number,
  now: Date,
): Promise<Buffer[]> {
  const windowEndsAt = new Date(now.getTime() + windowSeconds * 1000);
  const leaseBegan = new Date(now.getTime() - placeLeaseMs);
  const rows = await db.query<{ key: Buffer }>(
    `INSERT INTO login_throttle AS t (key, failure_limit, failures, places, window_ends_at)
     SELECT wanted.key, wanted.failure_limit, 0, ARRAY[$3::timestamptz], $4
     FROM unnest($1::bytea[], $2::int[]) AS wanted (key, failure_limit)
     ORDER BY wanted.key
     ON CONFLICT (key) DO UPDATE SET
       failure_limit = excluded.failure_limit,
       failures = CASE WHEN t.window_ends_at <= $3 THEN 0 ELSE t.failures END,
       places = ARRAY(SELECT place FROM unnest(t.places) AS place WHERE place > $5) || excluded.places,
       window_ends_at = CASE WHEN t.window_ends_at <= $3 THEN excluded.window_ends_at ELSE t.window_ends_at END
     WHERE CASE WHEN t.window_ends_at <= $3 THEN 0 ELSE t.failures END
       + (SELECT count(*) FROM unnest(t.places) AS place WHERE place > $5) < excluded.failure_limit
     RETURNING key`,
    [keys.map(({ key }) => key), keys.map(({ limit }) => limit), now, windowEndsAt, leaseBegan],
    { name: 'take-login-places' },
  );
  return rows.map(({ key }) => key);
}

/** A success clears the failures of the e-mail, the first key, but not those of the network: one login must not allow many guesses. */
export async function settlePlaces(db: Queryable, keys: Buffer[], takenAt: Date, outcome: Outcome): Promise<void> {
  await db.query(
    `UPDATE login_throttle t SET
       -- One of those taken at the same moment is as good as another.
       places = CASE WHEN locked.nth IS NULL THEN t.places ELSE t.places[:locked.nth - 1] || t.places[locked.nth + 1:] END,
       failures = CASE WHEN $3 = 'failure' THEN t.failures + 1 WHEN $3 = 'success' AND t.key = $2 THEN 0 ELSE t.failures END
     FROM (
       SELECT key, array_position(places, $4::timestamptz) AS nth
       FROM login_throttle WHERE key = ANY ($1::bytea[]) ORDER BY key FOR UPDATE
     ) AS locked
     WHERE t.key = locked.key`,
    [keys, keys[0], outcome, takenAt],
    { name: 'settle-login-places' },
  );
}

/** Seconds until the last full window ends; undefined if the limit is reached only by undecided attempts. */
export async function findBlock(db: Queryable, keys: ThrottleKey[], now: Date): Promise<number | undefined> {
  const [row] = await db.query<{ endsAt: Date | null }>(
    `SELECT max(t.window_ends_at) AS "endsAt"
     FROM login_throttle t JOIN unnest($1::bytea[], $2::int[]) AS wanted (key, failure_limit) ON wanted.key = t.key
     WHERE t.failures >= wanted.failure_limit AND t.window_ends_at > $3`,
    [keys.map(({ key }) => key), keys.map(({ limit }) => limit), now],
    { name: 'find-login-block' },
  );
  return row?.endsAt ? (row.endsAt.getTime() - now.getTime()) / 1000 : undefined;
}

export async function forgiveFailures(db: Queryable, key: Buffer): Promise<void> {
  await db.query(`UPDATE login_throttle SET failures = 0, places = '{}' WHERE key = $1`, [key], {
    name: 'forgive-login',
  });
}

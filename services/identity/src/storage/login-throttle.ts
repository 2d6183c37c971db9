import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { leaveScope } from '@sabia/service-kit/request-scope';
import { throttleKeys, tooManyFailures } from '../domain/login-throttle';
import type { ThrottleKey, ThrottlePolicy } from '../domain/login-throttle';

export interface LoginThrottle {
  /** Runs the check only while the limit allows it, and counts its outcome. */
  guard(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean>;
  /** Whoever has reset the password may log in at once. */
  forgive(email: string): Promise<void>;
}

export interface Attempt {
  email: string;
  clientIp?: string;
  signal?: AbortSignal;
}

type Outcome = 'success' | 'failure' | 'undecided';

const retryMs = 25;
const patienceMs = 5_000;

/**
 * A place is taken before the password is hashed and given back with the outcome, so that parallel attempts never get more
 * tries than the limit. While places are taken but not yet decided, others wait: a right password is not refused
 * because many came at once.
 */
export function createLoginThrottle({
  database,
  policy,
  now,
}: {
  database: Queryable;
  policy: ThrottlePolicy;
  now: () => Date;
}): LoginThrottle {
  async function reserve(keys: ThrottleKey[], signal: AbortSignal | undefined): Promise<void> {
    const patienceEndsAt = now().getTime() + patienceMs;
    for (;;) {
      const reserved = await takePlaces(database, keys, policy.windowSeconds, now());
      if (reserved.length === keys.length) {
        return;
      }
      if (reserved.length > 0) {
        await settlePlaces(database, reserved, 'undecided');
      }
      const retryAfterSeconds = await findBlock(database, keys, now());
      if (retryAfterSeconds !== undefined) {
        throw tooManyFailures(retryAfterSeconds);
      }
      if (now().getTime() >= patienceEndsAt) {
        throw tooManyFailures(1);
      }
      await sleep(retryMs, undefined, { signal });
    }
  }

  return {
    async guard({ email, clientIp, signal }, check) {
      const keys = throttleKeys(policy, email, clientIp);
      await reserve(keys, signal);
      let outcome: Outcome = 'undecided';
      try {
        const matches = await check();
        outcome = matches ? 'success' : 'failure';
        return matches;
      } finally {
        // Also when the client has gone meanwhile: a place that is not given back would count until the window ends.
        await leaveScope(() =>
          settlePlaces(
            database,
            keys.map(({ key }) => key),
            outcome,
          ),
        );
      }
    },
    async forgive(email) {
      const [{ key }] = throttleKeys(policy, email) as [ThrottleKey];
      await database.query('UPDATE login_throttle SET failures = 0 WHERE key = $1', [key], { name: 'forgive-login' });
    },
  };
}

/** Answers the keys that had a place left. Rows are always locked in the order of their keys, so that no two attempts wait for each other. */
async function takePlaces(db: Queryable, keys: ThrottleKey[], windowSeconds: number, now: Date): Promise<Buffer[]> {
  const windowEndsAt = new Date(now.getTime() + windowSeconds * 1000);
  const rows = await db.query<{ key: Buffer }>(
    `INSERT INTO login_throttle AS t (key, failure_limit, failures, pending, window_ends_at)
     SELECT wanted.key, wanted.failure_limit, 0, 1, $4 FROM unnest($1::bytea[], $2::int[]) AS wanted (key, failure_limit)
     ORDER BY wanted.key
     ON CONFLICT (key) DO UPDATE SET
       failure_limit = excluded.failure_limit,
       failures = CASE WHEN t.window_ends_at <= $3 THEN 0 ELSE t.failures END,
       pending = CASE WHEN t.window_ends_at <= $3 THEN 1 ELSE t.pending + 1 END,
       window_ends_at = CASE WHEN t.window_ends_at <= $3 THEN excluded.window_ends_at ELSE t.window_ends_at END
     WHERE t.window_ends_at <= $3 OR t.failures + t.pending < excluded.failure_limit
     RETURNING key`,
    [keys.map(({ key }) => key), keys.map(({ limit }) => limit), now, windowEndsAt],
    { name: 'take-login-places' },
  );
  return rows.map(({ key }) => key);
}

/** A success clears the failures of the e-mail, which comes first; an address keeps its own, or one good login would buy an attacker many bad ones. */
async function settlePlaces(db: Queryable, keys: Buffer[], outcome: Outcome): Promise<void> {
  await db.query(
    `UPDATE login_throttle t SET
       pending = greatest(t.pending - 1, 0),
       failures = CASE WHEN $3 = 'failure' THEN t.failures + 1 WHEN $3 = 'success' AND t.key = $2 THEN 0 ELSE t.failures END
     FROM (SELECT key FROM login_throttle WHERE key = ANY ($1::bytea[]) ORDER BY key FOR UPDATE) AS locked
     WHERE t.key = locked.key`,
    [keys, keys[0], outcome],
    { name: 'settle-login-places' },
  );
}

/** Seconds until the last full window ends; undefined when the limit is only being approached by attempts still undecided. */
async function findBlock(db: Queryable, keys: ThrottleKey[], now: Date): Promise<number | undefined> {
  const [row] = await db.query<{ endsAt: Date | null }>(
    `SELECT max(t.window_ends_at) AS "endsAt"
     FROM login_throttle t JOIN unnest($1::bytea[], $2::int[]) AS wanted (key, failure_limit) ON wanted.key = t.key
     WHERE t.failures >= wanted.failure_limit AND t.window_ends_at > $3`,
    [keys.map(({ key }) => key), keys.map(({ limit }) => limit), now],
    { name: 'find-login-block' },
  );
  return row?.endsAt ? (row.endsAt.getTime() - now.getTime()) / 1000 : undefined;
}

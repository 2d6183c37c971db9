import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { leaveScope } from '@sabia/service-kit/request-scope';
import { throttleKeys, tooManyFailures } from '../domain/login-throttle';
import type { ThrottleKey, ThrottlePolicy } from '../domain/login-throttle';
import { findBlock, forgiveFailures, settlePlaces, takePlaces } from '../storage/login-places';
import type { Outcome } from '../storage/login-places';

export interface LoginThrottle {
  /** Runs the check if the limit allows it, and counts its outcome. */
  guard(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean>;
  /** After a password reset the user may log in at once. */
  forgive(email: string): Promise<void>;
}

export interface Attempt {
  email: string;
  clientIp?: string;
  signal?: AbortSignal;
}

const retryMs = 25;
const patienceMs = 5_000;

/**
 * Takes a place before the password is hashed and releases it with the outcome, so that parallel attempts never exceed the limit.
 * While places are taken but undecided, further attempts wait: a correct password is not refused because of a burst.
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
  async function reserve(keys: ThrottleKey[], signal: AbortSignal | undefined): Promise<Date> {
    const patienceEndsAt = now().getTime() + patienceMs;
    for (;;) {
      const takenAt = now();
      const reserved = await takePlaces(database, keys, policy.windowSeconds, takenAt);
      if (reserved.length === keys.length) {
        return takenAt;
      }
      if (reserved.length > 0) {
        await settlePlaces(database, reserved, takenAt, 'undecided');
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
      const takenAt = await reserve(keys, signal);
      let outcome: Outcome = 'undecided';
      try {
        const matches = await check();
        outcome = matches ? 'success' : 'failure';
        return matches;
      } finally {
        // Also after the client has disconnected: a place that is not released would count until its lease ends.
        await leaveScope(() =>
          settlePlaces(
            database,
            keys.map(({ key }) => key),
            takenAt,
            outcome,
          ),
        );
      }
    },
    async forgive(email) {
      const [{ key }] = throttleKeys(policy, email) as [ThrottleKey];
      await forgiveFailures(database, key);
    },
  };
}

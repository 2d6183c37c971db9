import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../clients/redis';

export interface SharedCountOptions {
  name: string;
  /** A key that reaches this count … */
  limit: number;
  /** … within this time … */
  windowSeconds: number;
  /** … is blocked for this time. */
  blockSeconds: number;
}

export interface SharedCount {
  /** True: the key is now blocked. */
  add(key: string): Promise<boolean>;
  /** 0: the key is not blocked. */
  blockedSeconds(key: string): Promise<number>;
}

/** Counts in Redis across replicas; while Redis is away, each replica counts for itself. */
export function createSharedCount(redis: RedisConnection, options: SharedCountOptions): SharedCount {
  const settings = {
    // The library blocks when its points are exceeded, not when they are reached.
    points: options.limit - 1,
    duration: options.windowSeconds,
    blockDuration: options.blockSeconds,
    keyPrefix: `sabia:sip:${options.name}`,
  };
  const shared = new RateLimiterRedis({ ...settings, storeClient: redis.client });
  const own = new RateLimiterMemory(settings);

  async function eitherOf<T>(ask: (limiter: RateLimiterRedis | RateLimiterMemory) => Promise<T>): Promise<T> {
    if (!redis.isAway()) {
      try {
        return await ask(shared);
      } catch (error) {
        redis.report(error);
      }
    }
    return ask(own);
  }

  return {
    add: (key) =>
      eitherOf(async (limiter) => {
        try {
          await limiter.consume(key);
          return false;
        } catch (error) {
          if (error instanceof RateLimiterRes) return true;
          throw error;
        }
      }),
    blockedSeconds: (key) =>
      eitherOf(async (limiter) => {
        const found = await limiter.get(key);
        const isBlocked = found !== null && found.consumedPoints >= options.limit;
        return isBlocked ? Math.max(1, Math.ceil(found.msBeforeNext / 1_000)) : 0;
      }),
  };
}

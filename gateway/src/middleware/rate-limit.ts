import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../clients/redis';
import { tooManyRequests } from '../errors/http-error';
import type { Exchange } from '../http/exchange';
import { WINDOW_SECONDS, rateLimitClassNames } from './rate-limit-classes';
import type { RateLimitClass } from './rate-limit-classes';

export type Limits = Readonly<Record<RateLimitClass, number>>;

export interface RateLimit {
  /** Counts the request, puts the RateLimit headers on its answer, and throws the 429 when it was one too many. */
  count(exchange: Exchange, name: RateLimitClass, key: string): Promise<void>;
  /** Only the headers, for answers that cost nothing. */
  show(exchange: Exchange, name: RateLimitClass, key: string): Promise<void>;
}

interface Limiter {
  limit: number;
  shared: RateLimiterRedis;
  /** Counts for this process alone while Redis is away. */
  own: RateLimiterMemory;
}

interface Count {
  remaining: number;
  resetSeconds: number;
  exceeded: boolean;
}

/** A fixed window of a minute, counted in Redis across replicas; while Redis is away, by each replica for itself. */
export function createRateLimit(redis: RedisConnection, limits: Limits): RateLimit {
  const limiters = new Map(rateLimitClassNames.map((name) => [name, createLimiter(redis, name, limits[name])]));

  async function consume({ shared, own }: Limiter, key: string): Promise<Count> {
    if (!redis.isAway()) {
      try {
        return counted(await shared.consume(key), false);
      } catch (error) {
        if (error instanceof RateLimiterRes) {
          return counted(error, true);
        }
        redis.report(error);
      }
    }
    try {
      return counted(await own.consume(key), false);
    } catch (error) {
      return counted(error as RateLimiterRes, true);
    }
  }

  async function peek({ limit, shared, own }: Limiter, key: string): Promise<Count> {
    let found: RateLimiterRes | null = null;
    try {
      found = await (redis.isAway() ? own : shared).get(key);
    } catch (error) {
      redis.report(error);
    }
    return found === null ? { remaining: limit, resetSeconds: WINDOW_SECONDS, exceeded: false } : counted(found, false);
  }

  return {
    async count(exchange, name, key) {
      const limiter = limiters.get(name)!;
      const count = await consume(limiter, key);
      setHeaders(exchange, limiter.limit, count);
      if (count.exceeded) {
        throw tooManyRequests(count.resetSeconds);
      }
    },
    async show(exchange, name, key) {
      const limiter = limiters.get(name)!;
      setHeaders(exchange, limiter.limit, await peek(limiter, key));
    },
  };
}

function createLimiter(redis: RedisConnection, name: RateLimitClass, limit: number): Limiter {
  const options = { points: limit, duration: WINDOW_SECONDS, keyPrefix: `sabia:limit:${name.toLowerCase()}` };
  return {
    limit,
    shared: new RateLimiterRedis({ ...options, storeClient: redis.client, inMemoryBlockOnConsumed: limit }),
    own: new RateLimiterMemory(options),
  };
}

function counted({ remainingPoints, msBeforeNext }: RateLimiterRes, exceeded: boolean): Count {
  return {
    remaining: exceeded ? 0 : Math.max(0, remainingPoints),
    // Rounded up and never zero: a client that waits this long must not come too early.
    resetSeconds: Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1000))),
    exceeded,
  };
}

function setHeaders({ headers }: Exchange, limit: number, { remaining, resetSeconds }: Count): void {
  headers['ratelimit-limit'] = String(limit);
  headers['ratelimit-remaining'] = String(remaining);
  headers['ratelimit-reset'] = String(resetSeconds);
}

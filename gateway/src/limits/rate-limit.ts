import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../clients/redis';
import { tooManyRequests } from '../errors/http-error';
import type { Exchange } from '../http/exchange';
import type { Allowance } from './allowance';
import { WINDOW_SECONDS } from '../contract/rate-limit-classes';

export interface RateLimit {
  /** Counts the request, sets its RateLimit headers, and throws a 429 if the limit is exceeded. */
  count(exchange: Exchange, allowance: Allowance): Promise<void>;
  /** Sets the headers without counting. */
  show(exchange: Exchange, allowance: Allowance): Promise<void>;
}

interface Limiter {
  limit: number;
  shared: RateLimiterRedis;
  /** Counts in this process alone while Redis is away. */
  own: RateLimiterMemory;
}

interface Count {
  remaining: number;
  resetSeconds: number;
  exceeded: boolean;
}

/** Counts in fixed windows of a minute, in Redis across replicas; while Redis is away, each replica counts for itself. */
export function createRateLimit(redis: RedisConnection): RateLimit {
  /** By class and limit, so their number is bounded by the configuration. */
  const limiters = new Map<string, Limiter>();

  function limiterOf({ name, limit }: Allowance): Limiter {
    const known = limiters.get(`${name} ${limit}`);
    const limiter = known ?? createLimiter(redis, name, limit);
    limiters.set(`${name} ${limit}`, limiter);
    return limiter;
  }

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
    async count(exchange, allowance) {
      const count = await consume(limiterOf(allowance), allowance.key);
      setHeaders(exchange, allowance.limit, count);
      if (count.exceeded) {
        throw tooManyRequests(count.resetSeconds);
      }
    },
    async show(exchange, allowance) {
      setHeaders(exchange, allowance.limit, await peek(limiterOf(allowance), allowance.key));
    },
  };
}

function createLimiter(redis: RedisConnection, name: string, limit: number): Limiter {
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
    // Rounded up and never zero, so that a client that waits this long does not come back too early.
    resetSeconds: Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1000))),
    exceeded,
  };
}

function setHeaders({ headers }: Exchange, limit: number, { remaining, resetSeconds }: Count): void {
  headers['ratelimit-limit'] = String(limit);
  headers['ratelimit-remaining'] = String(remaining);
  headers['ratelimit-reset'] = String(resetSeconds);
}

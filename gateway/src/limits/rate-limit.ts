import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../clients/redis';
import { tooManyRequests } from '../errors/http-error';
import type { Exchange } from '../http/exchange';
import type { Allowance } from './allowance';
import { WINDOW_SECONDS } from '../contract/rate-limit-classes';

export interface RateLimit {
  /** Counts the request, puts the RateLimit headers on its answer, and throws the 429 when it was one too many. */
  count(exchange: Exchange, allowance: Allowance): Promise<void>;
  /** Only the headers, for answers that cost nothing. */
  show(exchange: Exchange, allowance: Allowance): Promise<void>;
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
export function createRateLimit(redis: RedisConnection): RateLimit {
  /** As many as there are classes and numbers in the configuration. */
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

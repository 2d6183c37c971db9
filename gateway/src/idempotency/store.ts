import type { Redis } from 'ioredis';
import { unavailable } from '@sabia/service-kit/errors';
import type { RedisConnection } from '../clients/redis';

export interface IdempotencyStore {
  /** Puts the record there unless one exists; gives back the one that exists. */
  begin(name: string, record: string, ttlMs: number): Promise<string | undefined>;
  /** Replaces our own record; somebody else's stays. */
  finish(name: string, ours: string, record: string, ttlMs: number): Promise<void>;
  abandon(name: string, ours: string): Promise<void>;
}

type Script = (key: string, ...values: string[]) => Promise<string | null>;

const beginScript = `
local found = redis.call('get', KEYS[1])
if found then return found end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

const finishScript = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return false`;

const abandonScript = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
return false`;

/** Each step is one script, so that two gateways with the same key at the same moment agree who was first. */
export function createIdempotencyStore(redis: RedisConnection): IdempotencyStore {
  const begin = defineScript(redis.client, 'sabiaIdempotencyBegin', beginScript);
  const finish = defineScript(redis.client, 'sabiaIdempotencyFinish', finishScript);
  const abandon = defineScript(redis.client, 'sabiaIdempotencyAbandon', abandonScript);

  async function run(script: Script, key: string, ...values: string[]): Promise<string | null> {
    try {
      if (!redis.isAway()) {
        return await script(key, ...values);
      }
    } catch (error) {
      redis.report(error);
    }
    throw unavailable('Idempotency keys cannot be honoured right now.');
  }

  return {
    begin: async (name, record, ttlMs) => (await run(begin, name, record, String(ttlMs))) ?? undefined,
    finish: async (name, ours, record, ttlMs) => void (await run(finish, name, ours, record, String(ttlMs))),
    abandon: async (name, ours) => void (await run(abandon, name, ours)),
  };
}

function defineScript(client: Redis, name: string, lua: string): Script {
  client.defineCommand(name, { numberOfKeys: 1, lua });
  const commands = client as unknown as Record<string, Script>;
  return (key, ...values) => commands[name]!(key, ...values);
}

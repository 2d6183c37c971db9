import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { unavailable } from '@sabia/service-kit/errors';
import type { RedisConnection } from '../clients/redis';
import type { HttpResponse } from '../http/response';

/**
 * What Redis holds: the fingerprint of the request while it runs, and its response afterwards. A response may contain
 * secrets (the senha of an extension), so it is sealed with a secret derived from the client's Idempotency-Key. Redis
 * never sees that key: the name of the record is a hash of it, and the fingerprint is keyed with the secret too, so that
 * the content of a request cannot be guessed from its record.
 */
export type IdempotencyRecord = { fingerprint: string } & ({ owner: string } | { sealed: string });

export interface IdempotencyNames {
  record: string;
  secret: Buffer;
}

/** `who`: the number of a user, or the uuid of an operator. */
export function namesOf(who: number | string, route: string, key: string): IdempotencyNames {
  const digest = (purpose: string): Buffer =>
    createHash('sha256')
      .update(JSON.stringify([purpose, who, route, key]))
      .digest();
  return { record: `sabia:idempotency:${digest('record').toString('hex')}`, secret: digest('secret') };
}

export function fingerprintOf(path: string, request: Buffer, secret: Buffer): string {
  return createHmac('sha256', secret).update(path).update('\0').update(request).digest('base64');
}

export type StoredResponse = Pick<HttpResponse, 'status' | 'body'>;

const algorithm = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function seal(response: StoredResponse, secret: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(algorithm, secret, iv);
  const text = JSON.stringify({ status: response.status, body: response.body?.toString() });
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

export function unseal(text: string, secret: Buffer): StoredResponse {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(opened.toString('utf8')) as StoredResponse;
}

export interface IdempotencyStore {
  /** Stores the record unless one exists under the name; returns the existing one. */
  begin(name: string, record: string, ttlMs: number): Promise<string | undefined>;
  /** Replaces our own record; the record of another request stays. */
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

/** Each step is one script, so that two gateways with the same key at the same moment agree which was first. */
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

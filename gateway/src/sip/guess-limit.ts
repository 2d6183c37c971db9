import { LRUCache } from 'lru-cache';
import type { Logger } from '@sabia/service-kit/logging';
import type { RedisConnection } from '../clients/redis';
import { createSharedCount } from './shared-count';

/** An attempt to log in as an extension. */
export interface Guess {
  /** The counted address: IPv6 by /64. */
  address: string;
  extension: string;
}

export interface GuessLimit {
  /** For how long the address is banned; 0: it is not. */
  bannedSeconds(address: string): Promise<number>;
  /** Whether an attempt must not be passed on, whether its password is right or wrong. */
  refuses(guess: Guess): Promise<boolean>;
  failed(guess: Guess): Promise<void>;
  succeeded(guess: Guess): Promise<void>;
}

/** The limits that telephony has for phones that connect to Asterisk directly. */
const byAddress = { name: 'address', limit: 20, windowSeconds: 60, blockSeconds: 600 };
const byExtension = { name: 'extension', limit: 50, windowSeconds: 600, blockSeconds: 600 };
const KNOWN_SECONDS = 30 * 86_400;
const MOST_KNOWN = 50_000;

/**
 * Counts wrong passwords of web phones. An address with too many of them is banned. An extension with too many of them, from
 * all addresses together, is locked for addresses that have not given its right password before.
 */
export function createGuessLimit(redis: RedisConnection, log: Logger): GuessLimit {
  const addresses = createSharedCount(redis, byAddress);
  const extensions = createSharedCount(redis, byExtension);
  /** The known addresses that this process has seen, for when Redis is away. */
  const seen = new LRUCache<string, true>({ max: MOST_KNOWN });

  async function isKnown(pair: string): Promise<boolean> {
    if (seen.has(pair)) return true;
    if (redis.isAway()) return false;
    try {
      return (await redis.client.exists(pair)) > 0;
    } catch (error) {
      redis.report(error);
      return false;
    }
  }

  return {
    bannedSeconds: (address) => addresses.blockedSeconds(address),
    async refuses({ address, extension }) {
      const [banned, locked] = await Promise.all([
        addresses.blockedSeconds(address),
        extensions.blockedSeconds(extension),
      ]);
      return banned > 0 || (locked > 0 && !(await isKnown(nameOf({ address, extension }))));
    },
    async failed({ address, extension }) {
      const [banned, locked] = await Promise.all([addresses.add(address), extensions.add(extension)]);
      if (banned) log.warn({ address, extension }, 'address banned: too many wrong passwords of web phones');
      if (locked) log.warn({ extension }, 'extension locked for unknown addresses: too many wrong passwords');
    },
    async succeeded(guess) {
      const pair = nameOf(guess);
      seen.set(pair, true);
      if (redis.isAway()) return;
      await redis.client.set(pair, '1', 'EX', KNOWN_SECONDS).catch((error: unknown) => redis.report(error));
    },
  };
}

function nameOf({ address, extension }: Guess): string {
  return `sabia:sip:known:${extension}:${address}`;
}

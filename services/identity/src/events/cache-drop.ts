import { setTimeout as delay } from 'node:timers/promises';
import { identityEvents } from '@sabia/protos/events/identity';
import { unavailable } from '@sabia/service-kit/errors';
import { broadcast, broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import { leaseMs, longestCachedMs } from '@sabia/service-kit/events/nats/cache-lease';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import { createInbox } from 'nats';
import { followCacheHolders } from './cache-holders';
import { revocation } from './published';

/**
 * Makes every gateway drop one token, all tokens of a user, or everything from its cache. Resolves once no gateway uses what it had cached.
 * Never rejects.
 */
export type DropFromCaches = (what: { userId: number; tokenHash?: Uint8Array } | 'everything') => Promise<void>;

export interface CacheDropOptions {
  nats: Nats;
  log: Logger;
  /** Milliseconds on a clock that nobody sets. */
  elapsed: () => number;
}

const timeoutMs = 500;
const pauseMs = 100;
/** A lookup that read the token just before it was revoked may be cached this much later. */
const lookupMs = 1_000;
const { tokenRevoked } = identityEvents;

/** Awaited before a revocation is answered. While NATS is away, that takes until cached tokens have expired. */
export function createCacheDrop({ nats, log, elapsed: now }: CacheDropOptions): DropFromCaches {
  const holders = followCacheHolders(nats, now);

  /** Resolves once every gateway has acknowledged, or can no longer use its cache without having received the broadcast. */
  async function tell(bytes: Uint8Array): Promise<void> {
    if (!nats.connected) {
      throw unavailable('NATS is away.');
    }
    const connection = await nats.connection();
    const reply = createInbox();
    const acknowledged = new Set<string>();
    let wake = (): void => undefined;
    const acknowledgements = connection.subscribe(reply, {
      callback: (error, message) => {
        if (error === null) {
          acknowledged.add(message.string());
          wake();
        }
      },
    });
    try {
      await broadcast(nats, broadcastSubject(tokenRevoked.type), bytes, { timeoutMs, reply });
      const leasesEnd = now() + leaseMs;
      const remaining = (): number => Math.min(leasesEnd, holders.trustedUntil(acknowledged)) - now();
      for (let waitMs = remaining(); waitMs > 0; waitMs = remaining()) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      acknowledgements.unsubscribe();
    }
  }

  return async (what) => {
    // A revocation that names neither token nor user is one of all that is cached.
    const { userId, tokenHash } = what === 'everything' ? { userId: 0 } : { tokenHash: undefined, ...what };
    const bytes = tokenRevoked.encode(revocation(userId, tokenHash));
    const forgottenAt = now() + longestCachedMs + lookupMs;
    for (let attempt = 1; now() < forgottenAt; attempt += 1) {
      try {
        return await tell(bytes);
      } catch (error) {
        if (attempt === 1) {
          log.warn({ err: error, userId }, 'revoked token could not be broadcast to the gateways, trying again');
        }
        await delay(pauseMs);
      }
    }
  };
}

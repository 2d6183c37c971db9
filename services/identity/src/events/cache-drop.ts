import { identityEvents } from '@sabia/protos/events/identity';
import { createCacheDrop } from '@sabia/service-kit/events/caches/cache-drop';
import type { CacheDropOptions } from '@sabia/service-kit/events/caches/cache-drop';
import { sessionCache } from '@sabia/service-kit/events/caches/shared-cache';
import { revocation } from './published';

/**
 * Makes every gateway drop one token, all tokens of a user, or everything from its cache. Resolves once no gateway uses what it had cached.
 * Never rejects.
 */
export type DropFromCaches = (what: { userId: number; tokenHash?: Uint8Array } | 'everything') => Promise<void>;

/** A lookup that read the token just before it was revoked may be cached this much later. */
const lookupMs = 1_000;

/** Awaited before a revocation is answered. While NATS is away, that takes until cached tokens have expired. */
export function createSessionDrop(options: Pick<CacheDropOptions, 'nats' | 'log' | 'elapsed'>): DropFromCaches {
  const patience = { ms: sessionCache.longestMs + lookupMs, from: 'change' as const };
  const drop = createCacheDrop({ ...options, cache: sessionCache, patience });
  return (what) => {
    // A revocation that names neither token nor user is one of all that is cached.
    const { userId, tokenHash } = what === 'everything' ? { userId: 0 } : { tokenHash: undefined, ...what };
    return drop(identityEvents.tokenRevoked.encode(revocation(userId, tokenHash)));
  };
}

import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { createCacheDrop } from '@sabia/service-kit/events/caches/cache-drop';
import type { CacheDropOptions } from '@sabia/service-kit/events/caches/cache-drop';
import { extensionCache, leaseMs } from '@sabia/service-kit/events/caches/shared-cache';

/** Makes telephony drop the extensions of the account from its caches. Resolves once none places calls with what it had cached. Never rejects. */
export type DropFromCaches = (accountId: number) => Promise<void>;

/**
 * Awaited before a change is answered. In the first two seconds of an outage of NATS that takes until they are over: from then on telephony
 * has noticed it, and asks for each call. While NATS hangs, each change takes as long. Telephony that reaches NATS while extensions does
 * not learns of the change from its event.
 */
export function createExtensionDrop(options: Pick<CacheDropOptions, 'nats' | 'log' | 'elapsed'>): DropFromCaches {
  const patience = { ms: 2 * leaseMs, from: 'outage' as const };
  const drop = createCacheDrop({ ...options, cache: extensionCache, patience });
  return (accountId) => drop(Envelope.encode(Envelope.fromPartial({ accountId })).finish());
}

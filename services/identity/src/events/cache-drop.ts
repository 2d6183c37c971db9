import { identityEvents } from '@sabia/protos/events/identity';
import { broadcast, broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import { revocation } from './published';

/** Makes every gateway drop one token, or all tokens of a user, from its cache. Never rejects. */
export type DropFromCaches = (what: { userId: number; tokenHash?: Uint8Array }) => Promise<void>;

const timeoutMs = 500;
const { tokenRevoked } = identityEvents;

/** Awaited before a revocation is answered. While NATS is away, cached tokens expire after a few seconds. */
export function createCacheDrop({ nats, log }: { nats: Nats; log: Logger }): DropFromCaches {
  return async ({ userId, tokenHash }) => {
    const bytes = tokenRevoked.encode(revocation(userId, tokenHash));
    try {
      await broadcast(nats, broadcastSubject(tokenRevoked.type), bytes, { timeoutMs });
    } catch (error) {
      log.warn({ err: error, userId }, 'revoked token could not be broadcast to the gateways');
    }
  };
}

import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { broadcast, broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';

/** Makes every gateway forget what it knows of a token, or of all tokens of a user. Never fails. */
export type DropFromCaches = (what: { userId: number; tokenHash?: Uint8Array }) => Promise<void>;

const timeoutMs = 500;

/** Awaited before a revocation is answered. With NATS away the gateways forget by themselves after a few seconds. */
export function createCacheDrop({ nats, log }: { nats: Nats; log: Logger }): DropFromCaches {
  return async ({ userId, tokenHash }) => {
    const message = TokenRevoked.fromPartial({ userId, tokenHash: tokenHash && Buffer.from(tokenHash) });
    try {
      await broadcast(nats, broadcastSubject('identity.token.revoked'), TokenRevoked.encode(message).finish(), {
        timeoutMs,
      });
    } catch (error) {
      log.warn({ err: error, userId }, 'gateways could not be told that a token has ended');
    }
  };
}

import { identityEvents } from '@sabia/protos/events/identity';
import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { holdCache } from '@sabia/service-kit/events/caches/cache-holder';
import type { Lease } from '@sabia/service-kit/events/caches/lease';
import { sessionCache } from '@sabia/service-kit/events/caches/shared-cache';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { TokenCache } from './token-cache';

const { accountSuspended, tokenRevoked, userUpdated } = identityEvents;

export interface RevocationsOptions {
  nats: Nats;
  cache: TokenCache;
  lease: Lease;
  log: Logger;
}

/**
 * Drops revoked tokens from the cache: immediately through the broadcast, and again through the event, in case identity stopped before
 * the broadcast. The returned function stops this.
 */
export function followRevocations({ nats, cache: tokens, lease, log }: RevocationsOptions): () => void {
  return holdCache({
    ...{ nats, cache: sessionCache, lease, log },
    onDrop: (bytes) => drop(tokens, tokenRevoked.decode(bytes)),
    events: [tokenRevoked, userUpdated, accountSuspended],
    onEvent({ type, payload }) {
      if (type === tokenRevoked.type) {
        drop(tokens, tokenRevoked.decode(payload));
      } else if (type === userUpdated.type) {
        // The tokens of a changed user stay live, but their cached sessions, above all the role, may be out of date.
        drop(tokens, TokenRevoked.fromPartial({ userId: userUpdated.decode(payload).userId }));
      } else {
        // A suspension names no users: whatever is cached is looked up again.
        tokens.clear();
      }
    },
    clear: () => tokens.clear(),
  });
}

function drop(tokens: TokenCache, { tokenHash, userId }: TokenRevoked): void {
  if (tokenHash.length > 0) {
    tokens.dropToken(Buffer.from(tokenHash).toString('hex'));
  } else if (userId !== 0) {
    tokens.dropUser(userId);
  } else {
    tokens.clear();
  }
}

import { identityEvents } from '@sabia/protos/events/identity';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { eventSubject } from '@sabia/service-kit/events/nats/topology';
import type { Logger } from '@sabia/service-kit/logging';
import type { NatsConnection } from 'nats';
import type { TokenCache } from './token-cache';

const { tokenRevoked, userUpdated } = identityEvents;

/**
 * Drops revoked tokens from the cache: immediately through the broadcast, and again through the event, in case identity could
 * not reach NATS at the moment of the broadcast. The cache is usable only while every revocation is received, so not while
 * NATS is away. The returned function stops this.
 */
export function followRevocations(nats: Nats, cache: TokenCache, log: Logger): () => void {
  let closed = false;

  const onBytes =
    (decode: (bytes: Uint8Array) => TokenRevoked) => (error: Error | null, message: { data: Uint8Array }) => {
      if (error !== null) {
        return;
      }
      try {
        drop(cache, decode(message.data));
      } catch (decodeError) {
        // Some token was revoked, but it is not known which.
        cache.clear();
        log.error({ err: decodeError }, 'a revocation could not be read, the token cache was emptied');
      }
    };

  async function subscribe(): Promise<void> {
    const connection = await nats.connection();
    connection.subscribe(broadcastSubject(tokenRevoked.type), {
      callback: onBytes((bytes) => tokenRevoked.decode(bytes)),
    });
    connection.subscribe(eventSubject(tokenRevoked.type), {
      callback: onBytes((bytes) => tokenRevoked.decode(Envelope.decode(bytes).payload)),
    });
    // The tokens of a changed user stay live, but their cached sessions, above all the role, may be out of date.
    connection.subscribe(eventSubject(userUpdated.type), {
      callback: onBytes((bytes) => {
        const { userId } = userUpdated.decode(Envelope.decode(bytes).payload);
        return TokenRevoked.fromPartial({ userId });
      }),
    });
    await startTrusting(connection);
  }

  async function startTrusting(connection: NatsConnection): Promise<void> {
    // After this round trip the server has the subscriptions, so nothing published later is missed.
    await connection.flush();
    // A lookup that began before the subscriptions stood may have missed a revocation.
    cache.clear();
    cache.usable = nats.connected && !closed;
  }

  const stopFollowing = nats.onStatus((connected) => {
    cache.usable = false;
    // Revocations may have been missed while the connection was lost.
    cache.clear();
    if (connected) {
      nats
        .connection()
        .then(startTrusting)
        .catch((error: unknown) => log.debug({ err: error }, 'NATS went away again'));
    }
  });
  subscribe().catch((error: unknown) => {
    if (!closed) {
      log.error({ err: error }, 'revocations cannot be heard, tokens are not cached');
    }
  });

  return () => {
    closed = true;
    cache.usable = false;
    stopFollowing();
  };
}

function drop(cache: TokenCache, { tokenHash, userId }: TokenRevoked): void {
  if (tokenHash.length > 0) {
    cache.dropToken(Buffer.from(tokenHash).toString('hex'));
  } else if (userId !== 0) {
    cache.dropUser(userId);
  } else {
    cache.clear();
  }
}

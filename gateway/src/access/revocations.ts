import { randomUUID } from 'node:crypto';
import { identityEvents } from '@sabia/protos/events/identity';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import { leaseRenewalMs, leaseSubject } from '@sabia/service-kit/events/nats/cache-lease';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { eventSubject } from '@sabia/service-kit/events/nats/topology';
import type { Logger } from '@sabia/service-kit/logging';
import type { Msg } from 'nats';
import type { Lease } from './lease';
import type { TokenCache } from './token-cache';

const { accountSuspended, tokenRevoked, userUpdated } = identityEvents;

export interface RevocationsOptions {
  nats: Nats;
  cache: TokenCache;
  lease: Lease;
  log: Logger;
}

/**
 * Drops revoked tokens from the cache: immediately through the broadcast, which it acknowledges, and again through the event, in
 * case identity stopped before the broadcast. Keeps the lease of the cache while every revocation is received, so not while NATS
 * is away or silent. The returned function stops this.
 */
export function followRevocations({ nats, cache, lease, log }: RevocationsOptions): () => void {
  const holder = randomUUID();
  const acknowledgement = Buffer.from(holder);
  let closed = false;
  let subscribed = false;
  /** Grows with every change of the connection: a flush of an earlier one says nothing about this one. */
  let current = 0;
  let trusted: number | undefined;

  const onBytes = (decode: (bytes: Uint8Array) => TokenRevoked) => (error: Error | null, message: Msg) => {
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
  const onBroadcast = onBytes((bytes) => tokenRevoked.decode(bytes));

  async function subscribe(): Promise<void> {
    const connection = await nats.connection();
    connection.subscribe(broadcastSubject(tokenRevoked.type), {
      callback: (error, message) => {
        onBroadcast(error, message);
        if (error === null) {
          message.respond(acknowledgement);
        }
      },
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
    // A suspension names no users: whatever is cached is looked up again.
    connection.subscribe(eventSubject(accountSuspended.type), {
      callback: onBytes(() => TokenRevoked.fromPartial({})),
    });
    subscribed = true;
    await renew();
  }

  async function renew(): Promise<void> {
    const connection = await nats.connection();
    const own = current;
    const sentAt = lease.now();
    connection.publish(leaseSubject(holder));
    // After this round trip the server has the subscriptions, and this process every revocation that the server had.
    await connection.flush();
    if (own !== current || closed || !nats.connected) {
      return;
    }
    if (trusted !== own) {
      // A lookup that began before the subscriptions stood may have missed a revocation.
      cache.clear();
      trusted = own;
    }
    lease.renew(sentAt);
  }

  const renewOrWait = (): void => {
    if (subscribed && nats.connected && !closed) {
      renew().catch((error: unknown) => log.debug({ err: error }, 'NATS went away again'));
    }
  };

  const stopFollowing = nats.onStatus(() => {
    current += 1;
    lease.end();
    // Revocations may have been missed while the connection was lost.
    cache.clear();
    renewOrWait();
  });
  const renewals = setInterval(renewOrWait, leaseRenewalMs).unref();
  subscribe().catch((error: unknown) => {
    if (!closed) {
      log.error({ err: error }, 'revocations cannot be heard, tokens are not cached');
    }
  });

  return () => {
    closed = true;
    clearInterval(renewals);
    lease.end();
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

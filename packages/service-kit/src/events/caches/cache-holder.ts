import { randomUUID } from 'node:crypto';
import type { EventDefinition, EventType } from '@sabia/protos/events/define-event';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import type { Msg } from 'nats';
import type { Logger } from '../../logging';
import type { Nats } from '../nats/connection';
import { eventSubject, shardSubject } from '../nats/topology';
import type { Lease } from './lease';
import { leaseRenewalMs } from './shared-cache';
import type { SharedCache } from './shared-cache';

export interface CacheHolderOptions {
  nats: Nats;
  cache: SharedCache;
  lease: Lease;
  log: Logger;
  /** Drops what a broadcast names. If it throws, everything is dropped. */
  onDrop: (broadcast: Uint8Array) => void;
  /** Events that make entries out of date; the same as their broadcasts, in case the sender stopped before these, or others. */
  events: readonly Pick<EventDefinition, 'type'>[];
  onEvent: (event: Pick<Envelope, 'accountId' | 'payload'> & { type: EventType }) => void;
  clear: () => void;
}

/**
 * Drops from a cache what broadcasts name, and acknowledges them. Keeps the lease of the cache while every broadcast is received,
 * so not while NATS is away or silent. The returned function stops this.
 */
export function holdCache({ nats, cache, lease, log, onDrop, events, onEvent, clear }: CacheHolderOptions): () => void {
  const holder = randomUUID();
  const acknowledgement = Buffer.from(holder);
  let closed = false;
  let subscribed = false;
  /** Grows with every change of the connection: a flush of an earlier one says nothing about this one. */
  let current = 0;
  let trusted: number | undefined;

  const reading = (read: (bytes: Uint8Array) => void) => (error: Error | null, message: Msg) => {
    if (error !== null) {
      return;
    }
    try {
      read(message.data);
    } catch (readError) {
      // Something has changed, but it is not known what.
      clear();
      log.error({ err: readError, subject: message.subject }, 'a change could not be read, the cache was emptied');
    }
  };

  async function subscribe(): Promise<void> {
    const connection = await nats.connection();
    const drop = reading(onDrop);
    connection.subscribe(cache.dropSubject, {
      callback: (error, message) => {
        drop(error, message);
        if (error === null) {
          message.respond(acknowledgement);
        }
      },
    });
    for (const { type } of events) {
      const callback = reading((bytes) => {
        const first = Envelope.decode(bytes);
        [first, ...first.also].forEach((envelope) => onEvent({ ...envelope, type }));
      });
      for (const subject of [eventSubject(type), shardSubject(type, '*')]) {
        connection.subscribe(subject, { callback });
      }
    }
    subscribed = true;
    await renew();
  }

  async function renew(): Promise<void> {
    const connection = await nats.connection();
    const own = current;
    const sentAt = lease.now();
    connection.publish(cache.leasePrefix + holder);
    // After this round trip the server has the subscriptions, and this process every broadcast that the server had.
    await connection.flush();
    if (own !== current || closed || !nats.connected) {
      return;
    }
    if (trusted !== own) {
      // A lookup that began before the subscriptions stood may have missed a broadcast.
      clear();
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
    // Broadcasts may have been missed while the connection was lost.
    clear();
    renewOrWait();
  });
  const renewals = setInterval(renewOrWait, leaseRenewalMs).unref();
  subscribe().catch((error: unknown) => {
    if (!closed) {
      log.error({ err: error, subject: cache.dropSubject }, 'broadcasts cannot be heard, nothing is cached');
    }
  });

  return () => {
    closed = true;
    clearInterval(renewals);
    lease.end();
    stopFollowing();
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { createInbox } from 'nats';
import { unavailable } from '../../errors';
import type { Logger } from '../../logging';
import { broadcast } from '../nats/broadcast';
import type { Nats } from '../nats/connection';
import { followCacheHolders } from './cache-holders';
import { leaseMs } from './shared-cache';
import type { SharedCache } from './shared-cache';

/**
 * Makes every process drop what the broadcast names from its cache. Resolves once none uses what it had cached, or when patience is
 * over. Never rejects.
 */
export type CacheDrop = (broadcast: Uint8Array) => Promise<void>;

export interface CacheDropOptions {
  nats: Nats;
  cache: SharedCache;
  /** How long to try while NATS is away or hangs; from the outage: once it has been away for so long, a change is not held up. */
  patience: { ms: number; from: 'change' | 'outage' };
  log: Logger;
  /** Milliseconds on a clock that nobody sets. */
  elapsed: () => number;
}

const timeoutMs = 500;
const pauseMs = 100;

/** Awaited before a change is answered. */
export function createCacheDrop({ nats, cache, patience, log, elapsed: now }: CacheDropOptions): CacheDrop {
  const holders = followCacheHolders(nats, cache, now);
  /** Undefined: NATS is there, though it may hang. */
  let awaySince = nats.connected ? undefined : now();
  nats.onStatus((connected) => {
    awaySince = connected ? undefined : now();
  });

  /** Resolves once every holder has acknowledged, or can no longer use its cache without having received the broadcast. */
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
      await broadcast(nats, cache.dropSubject, bytes, { timeoutMs, reply });
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

  return async (bytes) => {
    const changedAt = now();
    const patientUntil = (): number =>
      ((patience.from === 'outage' ? awaySince : undefined) ?? changedAt) + patience.ms;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tell(bytes);
      } catch (error) {
        if (attempt === 1) {
          log.warn({ err: error, subject: cache.dropSubject }, 'a change could not be broadcast');
        }
      }
      if (now() >= patientUntil()) {
        return;
      }
      await delay(pauseMs);
    }
  };
}

import type { Nats } from '../nats/connection';
import { leaseMs } from './shared-cache';
import type { SharedCache } from './shared-cache';

/** The processes that may be using their caches. */
export interface CacheHolders {
  /** Until when a process other than these may use what it has cached; not later than now if there is none. */
  trustedUntil(exceptHolders: ReadonlySet<string>): number;
}

export function followCacheHolders(nats: Nats, { leasePrefix }: SharedCache, now: () => number): CacheHolders {
  const leases = new Map<string, number>();
  /** Processes that renewed their leases before this one listened are not known; their leases have ended by then. */
  let unknownUntil = Infinity;

  async function listen(): Promise<void> {
    const connection = await nats.connection();
    connection.subscribe(`${leasePrefix}*`, {
      callback: (error, { subject }) => {
        if (error === null) {
          leases.set(subject.slice(leasePrefix.length), now() + leaseMs);
        }
      },
    });
    await listened();
  }

  async function listened(): Promise<void> {
    const connection = await nats.connection();
    await connection.flush();
    unknownUntil = now() + leaseMs;
  }

  // Reject when NATS goes away, or is closed before it was ever reached. Holders then stay unknown until it is back.
  listen().catch(() => undefined);
  nats.onStatus((connected) => {
    unknownUntil = Infinity;
    if (connected) {
      listened().catch(() => undefined);
    }
  });

  return {
    trustedUntil(exceptHolders) {
      let latest = unknownUntil;
      for (const [holder, until] of leases) {
        if (until <= now()) {
          leases.delete(holder);
        } else if (!exceptHolders.has(holder)) {
          latest = Math.max(latest, until);
        }
      }
      return latest;
    },
  };
}

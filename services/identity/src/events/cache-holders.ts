import { leaseHolder, leaseMs, leaseSubject } from '@sabia/service-kit/events/nats/cache-lease';
import type { Nats } from '@sabia/service-kit/events/nats/connection';

/** The gateways that may be using their caches. */
export interface CacheHolders {
  /** Until when a gateway other than these may use what it has cached; not later than now if there is none. */
  trustedUntil(exceptHolders: ReadonlySet<string>): number;
}

export function followCacheHolders(nats: Nats, now: () => number): CacheHolders {
  const leases = new Map<string, number>();
  /** Gateways that renewed their leases before this process listened are not known; their leases have ended by then. */
  let unknownUntil = Infinity;

  async function listen(): Promise<void> {
    const connection = await nats.connection();
    connection.subscribe(leaseSubject('*'), {
      callback: (error, { subject }) => {
        if (error === null) {
          leases.set(leaseHolder(subject), now() + leaseMs);
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

  // Reject when NATS goes away, or is closed before it was ever reached. Gateways then stay unknown until it is back.
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

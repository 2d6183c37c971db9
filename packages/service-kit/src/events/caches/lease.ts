import { leaseMs } from './shared-cache';

/** The time for which a shared cache may be used. */
export interface Lease {
  readonly held: boolean;
  /** To be taken before a flush is sent. */
  now(): number;
  /** The flush sent at this time has come back, so every broadcast that NATS had until then was received. */
  renew(sentAt: number): void;
  end(): void;
}

/** The clock must not be one that can be set back: the lease would become longer. */
export function createLease(now: () => number): Lease {
  let until = -Infinity;
  return {
    get held() {
      return now() < until;
    },
    now,
    renew(sentAt) {
      until = Math.max(until, sentAt + leaseMs);
    },
    end() {
      until = -Infinity;
    },
  };
}

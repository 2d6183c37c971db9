import { broadcastSubject } from '../nats/broadcast';

/**
 * What processes keep of another service's answers, so as not to ask each time, until that service drops it with a broadcast. They use
 * it under a lease, so that a broadcast which does not arrive ends the use of the cache as well. Every `leaseRenewalMs` a process
 * publishes on its lease subject and flushes; once the flush has come back, the lease holds for `leaseMs` from the moment at which it
 * was sent. One connection keeps order: a flush that the server received after a broadcast comes back after that broadcast. The
 * sender of a broadcast learns from the lease subjects who has to acknowledge it.
 */
export interface SharedCache {
  /** The subject of the broadcasts. */
  dropSubject: string;
  /** The name of the process follows. */
  leasePrefix: string;
  /** The longest for which an entry is kept: a broadcast that reaches NATS, but not a process that does, is missed for as long. */
  longestMs: number;
}

export const leaseMs = 1_000;
export const leaseRenewalMs = 300;
/** Whose tokens are live: answered by identity, kept by gateways. Its lease has no name of its own, as gateways of all releases use it. */
export const sessionCache: SharedCache = {
  dropSubject: broadcastSubject('identity.token.revoked'),
  leasePrefix: broadcastSubject('cache.lease.'),
  longestMs: 10_000,
};

/** The extensions that calls are placed from, or to: answered by extensions, kept by telephony. */
export const extensionCache: SharedCache = {
  dropSubject: broadcastSubject('extensions.extension.changed'),
  leasePrefix: broadcastSubject('extensions.lease.'),
  longestMs: 600_000,
};

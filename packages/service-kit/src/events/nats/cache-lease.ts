import { broadcastSubject } from './broadcast';

/**
 * A process that keeps a cache which broadcasts invalidate uses it under a lease, so that a broadcast which does not arrive ends
 * the use of the cache as well. Every `leaseRenewalMs` it publishes on its lease subject and flushes; once the flush has come
 * back, the lease holds for `leaseMs` from the moment at which it was sent. One connection keeps order: a flush that the server
 * received after a broadcast comes back after that broadcast. The sender of a broadcast learns from the lease subjects who has
 * to acknowledge it.
 */
export const leaseMs = 1_000;
export const leaseRenewalMs = 300;

/** The longest for which an entry may be in such a cache: what a sender that does not reach NATS has to wait for. */
export const longestCachedMs = 10_000;

const prefix = broadcastSubject('cache.lease.');

export const leaseSubject = (holder: string): string => prefix + holder;
export const leaseHolder = (subject: string): string => subject.slice(prefix.length);

import { status } from '@grpc/grpc-js';

/** Timers on the two ends of a connection do not fire in the same millisecond. */
const TOLERANCE_MS = 10;

/**
 * Why an RPC ends whose client has gone: a client also leaves when its deadline has passed, and its word may arrive before the
 * server's own timer fires.
 */
export function departureOf(deadline: Date | undefined, now = Date.now()): [code: status, why: string] {
  return deadline !== undefined && now >= deadline.getTime() - TOLERANCE_MS
    ? [status.DEADLINE_EXCEEDED, 'the deadline has passed']
    : [status.CANCELLED, 'the client has gone'];
}

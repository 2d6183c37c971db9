import type { SabiaError } from './errors';

export interface RetryOptions {
  /** How often a request is repeated at most; 3 unless it is set, 0 for never. */
  retries?: number;
  /** The longest wait that a Retry-After is obeyed for, in seconds; a longer one is thrown at once. 60 unless it is set. */
  longestRetryAfterSeconds?: number;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** Methods that do the same when they are repeated; a POST does with an Idempotency-Key, where the API takes one. */
const repeatable = new Set(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']);

export function mayRepeat(request: Request): boolean {
  return repeatable.has(request.method) || request.headers.has('idempotency-key');
}

/** Milliseconds until the request is sent again; undefined if it is not. `tries` is how often it was sent so far. */
export function waitBeforeRetry(
  error: SabiaError,
  request: Request,
  tries: number,
  { retries = 3, longestRetryAfterSeconds = 60 }: RetryOptions,
): number | undefined {
  if (tries > retries || !(isUndone(error) || (mayPass(error) && mayRepeat(request)))) return undefined;
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) {
    return retryAfterSeconds <= longestRetryAfterSeconds ? retryAfterSeconds * 1000 : undefined;
  }
  return backOff(tries);
}

/** Grows from try to try, and differs from client to client. */
export function backOff(tries: number, longestMs = LONGEST_WAIT_MS): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), longestMs);
  return wait / 2 + (Math.random() * wait) / 2;
}

/** A limited request was not looked at, so even one that must not happen twice can be sent again. */
const isUndone = ({ status, retryAfterSeconds }: SabiaError): boolean =>
  status === 429 && retryAfterSeconds !== undefined;

export function mayPass({ status, code }: SabiaError): boolean {
  return status === 0 || status === 429 || (status >= 502 && status <= 504) || code === 'IDEMPOTENCY_IN_PROGRESS';
}

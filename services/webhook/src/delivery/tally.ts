import type { Tally } from '../domain/circuit';
import { isFault, isSuccess } from '../domain/outcome';
import type { Attempt } from '../domain/outcome';

const tooManyRequests = 429;
const serviceUnavailable = 503;

/** Adds the result of an attempt. */
export function addToTally(tally: Tally | undefined, attempt: Attempt): Tally {
  const before = tally ?? { successes: 0, failures: 0, faults: 0, retryAfterMs: 0 };
  const { status, retryAfterMs = 0 } = attempt;
  const success = isSuccess(attempt);
  const fault = isFault(attempt);
  const asksForPause = status === tooManyRequests || status === serviceUnavailable;
  return {
    successes: before.successes + (success ? 1 : 0),
    failures: before.failures + (success ? 0 : 1),
    faults: before.faults + (fault ? 1 : 0),
    retryAfterMs: Math.max(before.retryAfterMs, asksForPause ? retryAfterMs : 0),
  };
}

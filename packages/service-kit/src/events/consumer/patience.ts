import { isConnectionSpent } from '../../postgres/errors';
import { growingPause, retry } from '../../work/retry';

/** Waits for the database to come back instead of blaming the current event. */
export interface Patience {
  /** Repeats the work while the database is away; any other failure, or any failure after the signal, is thrown. */
  throughOutage<T>(work: () => Promise<T>): Promise<T>;
}

export function createPatience(signal: AbortSignal): Patience {
  const outage = { mayPass: isConnectionSpent, pauseMs: growingPause(100, 2_000), signal };
  return { throughOutage: (work) => retry(work, outage) };
}

import { setTimeout as delay } from 'node:timers/promises';

export interface RetryOptions {
  /** Whether the failure may pass by itself. Any other failure is thrown. */
  mayPass: (error: unknown) => boolean;
  /** The pause before the next attempt; `failures` is 1 after the first failure. */
  pauseMs: (failures: number) => number;
  /** When it aborts, the current pause ends, one more attempt is made and its failure is thrown. */
  signal?: AbortSignal;
}

/** Repeats work while its failures may pass by themselves, for as long as it takes. */
export async function retry<T>(work: () => Promise<T>, { mayPass, pauseMs, signal }: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || signal?.aborted === true) {
        throw error;
      }
    }
    await delay(pauseMs(failures), undefined, { signal }).catch(() => undefined);
  }
}

/** Pauses that double with each failure up to a longest one. */
export const growingPause =
  (firstMs: number, longestMs: number) =>
  (failures: number): number =>
    Math.min(firstMs * 2 ** (failures - 1), longestMs);

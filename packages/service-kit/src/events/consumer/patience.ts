import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionSpent } from '../../postgres/errors';

/** Waits for the database to come back instead of blaming the event at hand. */
export interface Patience {
  /** Does it again for as long as the database is away; any other failure, or the end of patience, is thrown. */
  throughOutage<T>(work: () => Promise<T>): Promise<T>;
}

const firstPauseMs = 100;
const lastPauseMs = 2_000;

export function createPatience(signal: AbortSignal): Patience {
  return {
    async throughOutage(work) {
      for (let attempt = 0; ; attempt++) {
        try {
          return await work();
        } catch (error) {
          if (signal.aborted || !isConnectionSpent(error)) {
            throw error;
          }
          const pause = Math.min(firstPauseMs * 2 ** attempt, lastPauseMs);
          await delay(pause, undefined, { signal }).catch(() => undefined);
        }
      }
    },
  };
}

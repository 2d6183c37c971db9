import { unavailable } from '@sabia/service-kit/errors';

export interface ConcurrencyLimit {
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** At most `concurrency` at a time, at most `maxWaiting` in the queue; a job that gives up waiting leaves it. */
export function createConcurrencyLimit(concurrency: number, maxWaiting: number): ConcurrencyLimit {
  let running = 0;
  const waiting = new Set<() => void>();

  const turn = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const enter = () => {
        waiting.delete(enter);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(enter);
        reject(signal?.reason as Error);
      };
      waiting.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });

  return {
    async run(work, signal) {
      signal?.throwIfAborted();
      if (running < concurrency) {
        running += 1;
      } else {
        if (waiting.size >= maxWaiting) {
          throw unavailable('Too many passwords are being checked at once.');
        }
        // A finished job hands its place over, so `running` stays as it is.
        await turn(signal);
      }
      try {
        return await work();
      } finally {
        const [next] = waiting;
        if (next === undefined) {
          running -= 1;
        } else {
          next();
        }
      }
    },
  };
}

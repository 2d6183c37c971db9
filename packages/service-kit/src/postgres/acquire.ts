import type { Pool, PoolClient } from 'pg';
import { abortReason } from './cancellation';

/** A connection from the pool; a request that is cancelled while it waits leaves the queue at once. */
export function acquire(pool: Pool, signal: AbortSignal | undefined): Promise<PoolClient> {
  // One that is idle comes at once.
  if (signal === undefined || (pool.idleCount > 0 && pool.waitingCount === 0 && !signal.aborted)) {
    return pool.connect();
  }
  if (signal.aborted) {
    return Promise.reject(abortReason(signal));
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    pool.connect().then(
      (client) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) {
          client.release();
        } else {
          resolve(client);
        }
      },
      (error: Error) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}

import type { Logger } from '../logging';
import { deleteExpiredKeys } from './idempotency-keys';
import type { Queryable } from './queryable';

const everyMs = 10 * 60 * 1000;
const batch = 500;

/** Deletes idempotency keys whose time is over. Several replicas may clean at once. */
export function createKeyCleaner({ database, log, now }: { database: Queryable; log: Logger; now: () => Date }) {
  let timer: NodeJS.Timeout | undefined;
  let cleaning: Promise<void> = Promise.resolve();

  const clean = async (): Promise<void> => {
    try {
      while ((await deleteExpiredKeys(database, now(), batch)) === batch);
    } catch (error) {
      log.warn({ err: error }, 'expired idempotency keys could not be deleted, next time then');
    }
  };

  return {
    start(): void {
      timer ??= setInterval(() => {
        cleaning = cleaning.then(clean);
      }, everyMs).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await cleaning;
    },
  };
}

import { unavailable } from '@sabia/service-kit/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';

export interface FairLine {
  /** Rejects at once if `atMost` jobs of the account are waiting already, or too many of all accounts. */
  run<T>(accountId: number, atMost: number, work: () => Promise<T>): Promise<T>;
}

const RETRY_AFTER_SECONDS = 10;

/** Runs one job at a time, accounts taking turns: an account with many jobs delays its own, not those of others. */
export function createFairLine({ longest }: { longest: number }): FairLine {
  /** Waiting jobs by account, in the order in which the accounts are served. */
  const waiting = new Map<number, (() => Promise<void>)[]>();
  let length = 0;
  let busy = false;

  function next(): void {
    const [first] = waiting;
    if (busy || first === undefined) {
      return;
    }
    const [accountId, [work, ...others]] = first;
    waiting.delete(accountId);
    if (others.length > 0) {
      waiting.set(accountId, others);
    }
    length -= 1;
    busy = true;
    void work!().then(() => {
      busy = false;
      next();
    });
  }

  return {
    async run(accountId, atMost, work) {
      const own = waiting.get(accountId) ?? [];
      if (own.length >= atMost || length >= longest) {
        throw unavailable('Too many recordings wait to become an MP3.', RETRY_AFTER_SECONDS);
      }
      return new Promise((resolve, reject) => {
        // Outside of any request: the job outlives the one that asked for it, and is started by the end of another's.
        own.push(() => leaveScope(work).then(resolve, reject));
        waiting.set(accountId, own);
        length += 1;
        next();
      });
    },
  };
}

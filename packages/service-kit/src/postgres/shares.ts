import { rateLimited } from '../errors';
import { abortReason } from './statement';

export interface SharesOptions {
  /** How many reads run at the same time, of all accounts together. */
  places: number;
  /** How many of those an account may have. */
  perAccount: number;
  /** How many reads of an account may wait; a further one is refused. */
  waitingPerAccount?: number;
  patienceMs?: number;
}

export interface Shares {
  /** Runs the work when a place is free, accounts taking turns; refuses it when the account asks for too much at once. */
  run<T>(accountId: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

interface Account {
  running: number;
  waiting: (() => void)[];
}

const retryAfterSeconds = 2;

/** Divides a few places among accounts, so that no account can take them all, however much it asks for. */
export function createShares(options: SharesOptions): Shares {
  const { places, perAccount, waitingPerAccount = 20, patienceMs = 10_000 } = options;
  /** Accounts in the order in which they are served. */
  const accounts = new Map<number, Account>();
  let running = 0;

  function begin(account: Account): void {
    running += 1;
    account.running += 1;
  }

  function end(accountId: number, account: Account): void {
    running -= 1;
    account.running -= 1;
    // Moves the account to the end of the queue.
    accounts.delete(accountId);
    accounts.set(accountId, account);
    forgetIdle(accountId, account);
    for (const next of accounts.values()) {
      if (running < places && next.running < perAccount && next.waiting.length > 0) {
        const start = next.waiting.shift()!;
        begin(next);
        start();
        return;
      }
    }
  }

  function forgetIdle(accountId: number, account: Account): void {
    if (account.running === 0 && account.waiting.length === 0) {
      accounts.delete(accountId);
    }
  }

  /** Resolves once a place has been taken for the account. */
  function place(accountId: number, account: Account, signal: AbortSignal | undefined): Promise<void> {
    if (running < places && account.running < perAccount) {
      begin(account);
      return Promise.resolve();
    }
    if (account.waiting.length >= waitingPerAccount) {
      return Promise.reject(tooManySearches());
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        stopWaiting();
        resolve();
      };
      const leave = (error: Error): void => {
        stopWaiting();
        account.waiting.splice(account.waiting.indexOf(start), 1);
        forgetIdle(accountId, account);
        reject(error);
      };
      const onAbort = (): void => leave(abortReason(signal!));
      const timer = setTimeout(() => leave(tooManySearches()), patienceMs);
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      account.waiting.push(start);
    });
  }

  return {
    async run(accountId, signal, work) {
      signal?.throwIfAborted();
      const account = accounts.get(accountId) ?? { running: 0, waiting: [] };
      accounts.set(accountId, account);
      await place(accountId, account, signal);
      try {
        return await work();
      } finally {
        end(accountId, account);
      }
    },
  };
}

const tooManySearches = () => rateLimited('Too many searches of this account are under way.', retryAfterSeconds);

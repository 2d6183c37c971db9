export interface Turns {
  take<T>(accountId: number, work: () => Promise<T>): Promise<T>;
}

/**
 * Numbers of one account are given out one at a time, under a lock in the database. Whoever waits for it does so here, and
 * not on a connection: a burst in one account leaves the pool to the others.
 */
export function createTurns(): Turns {
  const lines = new Map<number, Promise<unknown>>();

  return {
    async take(accountId, work) {
      const before = lines.get(accountId) ?? Promise.resolve();
      const mine = before.then(work);
      const settled = mine.catch(() => undefined);
      lines.set(accountId, settled);
      try {
        return await mine;
      } finally {
        if (lines.get(accountId) === settled) {
          lines.delete(accountId);
        }
      }
    },
  };
}

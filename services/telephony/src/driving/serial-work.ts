/** Work on one key is done one after the other, in the order it came; on different keys at the same time. */
export interface SerialWork {
  run(key: string, work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is left. */
  idle(): Promise<void>;
}

export function createSerialWork(): SerialWork {
  const tails = new Map<string, Promise<void>>();
  return {
    run(key, work) {
      const tail = (tails.get(key) ?? Promise.resolve()).then(work);
      const kept = tail
        .catch(() => undefined)
        .then(() => {
          if (tails.get(key) === kept) {
            tails.delete(key);
          }
        });
      tails.set(key, kept);
      return tail;
    },
    async idle() {
      await Promise.all(tails.values());
    },
  };
}

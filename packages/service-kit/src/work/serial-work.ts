export interface SerialWork<Key> {
  /** Begins when all earlier work of the key is over, whether it succeeded or failed. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T>;
  /** Resolves when all work given so far is over. */
  idle(): Promise<void>;
}

/** Work of one key is done one after the other, in order of arrival; different keys do not wait for each other. */
export function createSerialWork<Key>(): SerialWork<Key> {
  const tails = new Map<Key, Promise<void>>();
  return {
    run(key, work) {
      const result = (tails.get(key) ?? Promise.resolve()).then(work);
      const removeTail = (): void => {
        if (tails.get(key) === tail) {
          tails.delete(key);
        }
      };
      const tail = result.then(removeTail, removeTail);
      tails.set(key, tail);
      return result;
    },
    async idle() {
      await Promise.all(tails.values());
    },
  };
}

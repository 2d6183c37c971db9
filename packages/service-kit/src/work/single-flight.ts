export interface SingleFlight<Key, Result> {
  /** Begins the work, or joins the work of this key that is under way. */
  run(key: Key, work: () => Promise<Result>): Promise<Result>;
}

/** Concurrent callers with the same key share one piece of work and its result, success or failure. Nothing is kept afterwards. */
export function createSingleFlight<Key, Result>(): SingleFlight<Key, Result> {
  const underWay = new Map<Key, Promise<Result>>();
  return {
    run(key, work) {
      const joined = underWay.get(key);
      if (joined !== undefined) {
        return joined;
      }
      const begun = work().finally(() => underWay.delete(key));
      underWay.set(key, begun);
      return begun;
    },
  };
}

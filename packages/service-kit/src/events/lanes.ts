export interface LanesOptions<T> {
  count: number;
  batchSize: number;
  /** Items of one key stay in order. */
  keyOf: (item: T) => number;
  /** Must not reject. */
  process: (batch: T[]) => Promise<void>;
}

export interface Lanes<T> {
  push(item: T): void;
  /** Removes and returns the items that have not begun. */
  clear(): T[];
  /** Resolves when nothing is being worked on. */
  idle(): Promise<void>;
}

/** Works on several batches at once, one per lane. A batch is whatever has gathered while the one before was worked on. */
export function createLanes<T>({ count, batchSize, keyOf, process }: LanesOptions<T>): Lanes<T> {
  const queues = Array.from({ length: count }, (): T[] => []);
  const workers: (Promise<void> | undefined)[] = queues.map(() => undefined);

  const work = async (lane: number): Promise<void> => {
    // What arrived in the same read of the socket becomes one batch.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = queues[lane] as T[];
    while (queue.length > 0) {
      await process(queue.splice(0, batchSize));
    }
    workers[lane] = undefined;
  };

  return {
    push(item) {
      const lane = Math.abs(keyOf(item)) % count;
      queues[lane]?.push(item);
      workers[lane] ??= work(lane);
    },
    clear() {
      return queues.flatMap((queue) => queue.splice(0));
    },
    async idle() {
      await Promise.all(workers.filter((worker) => worker !== undefined));
    },
  };
}

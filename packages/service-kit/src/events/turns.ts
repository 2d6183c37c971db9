export interface TurnsOptions<T> {
  /** Batches that are worked on at the same time. */
  workers: number;
  batchSize: number;
  /** Items of one key stay in order, and are never in two batches at the same time. */
  keyOf: (item: T) => number;
  /** What an item costs, and the most that a batch may cost; an item that costs more is a batch of its own. */
  weightOf?: (item: T) => number;
  mostWeight?: number;
  /** Must not reject. */
  process: (batch: T[]) => Promise<void>;
}

export interface Turns<T> {
  push(item: T): void;
  /** Removes and returns the items that have not begun; if told which, only those. */
  clear(isMeant?: (item: T) => boolean): T[];
  /** Resolves when the batches that are being worked on now have ended; if told which items, only those with such items. */
  underway(isMeant?: (item: T) => boolean): Promise<void>;
}

/** How long items gather behind a batch that had room for more. */
const gatherMs = 50;

/**
 * Works on several batches at once. Keys take turns: a batch has one item of each key, then the next of each, so that a key with many
 * items, or with costly ones, holds up itself and nobody else. A batch is whatever has gathered while the one before was worked on;
 * others are begun beside it when there is enough to fill them, or when it takes long. To begin them at once would split the same
 * items into more batches, each of which costs a transaction.
 */
export function createTurns<T>(options: TurnsOptions<T>): Turns<T> {
  const { workers, batchSize, keyOf, weightOf = () => 1, mostWeight = Infinity, process } = options;
  /** By key, the one whose turn is next first. */
  const waiting = new Map<number, T[]>();
  const busy = new Set<number>();
  const working = new Set<Promise<void>>();
  /** The batches that are being worked on. */
  const begun = new Map<Promise<void>, T[]>();
  /** Batches with room for more that have not been worked on for long. */
  const gathering = new Set<T[]>();

  const readyKeys = (): number[] => [...waiting.keys()].filter((key) => !busy.has(key));

  /** How many batches the items of these keys fill; those of a key cost the same. */
  function batchesOf(keys: number[]): number {
    let [items, weight] = [0, 0];
    for (const key of keys) {
      const queue = waiting.get(key)!;
      items += queue.length;
      weight += queue.length * weightOf(queue[0]!);
    }
    return Math.max(items / batchSize, weight / mostWeight);
  }

  function mayBegin(): boolean {
    const ready = readyKeys();
    return ready.length > 0 && (gathering.size === 0 || batchesOf(ready) >= 1);
  }

  function take(): { batch: T[]; isFull: boolean } {
    const ready = readyKeys();
    // Other workers that are free get their share of the keys, where there is more than a batch.
    const shares = Math.min(workers - begun.size, Math.max(1, Math.ceil(batchesOf(ready))));
    let keys = ready.slice(0, Math.ceil(ready.length / shares));
    const batch: T[] = [];
    let weight = 0;
    let hasLeftOut = false;
    while (keys.length > 0 && batch.length < batchSize) {
      keys = keys.filter((key) => {
        const queue = waiting.get(key)!;
        const itsWeight = weightOf(queue[0]!);
        if (batch.length === batchSize || (batch.length > 0 && weight + itsWeight > mostWeight)) {
          hasLeftOut = true;
          return false;
        }
        batch.push(queue.shift()!);
        weight += itsWeight;
        waiting.delete(key);
        if (queue.length > 0) {
          waiting.set(key, queue);
        }
        return queue.length > 0;
      });
    }
    return { batch, isFull: shares > 1 || hasLeftOut || batch.length === batchSize || weight >= mostWeight };
  }

  /** Lets items gather behind a batch for a while; returns how to end that. */
  function gatherBehind(batch: T[]): () => void {
    const end = (): void => {
      clearTimeout(timer);
      gathering.delete(batch);
    };
    const timer = setTimeout(() => {
      end();
      wake();
    }, gatherMs);
    gathering.add(batch);
    return end;
  }

  async function work(): Promise<void> {
    // What arrived in the same read of the socket becomes one batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (mayBegin()) {
      const { batch, isFull } = take();
      const keys = new Set(batch.map(keyOf));
      keys.forEach((key) => busy.add(key));
      const endGathering = isFull ? undefined : gatherBehind(batch);
      const processing = process(batch);
      begun.set(processing, batch);
      wake();
      await processing;
      endGathering?.();
      begun.delete(processing);
      keys.forEach((key) => busy.delete(key));
      wake();
    }
  }

  function wake(): void {
    if (working.size < workers && mayBegin()) {
      const running = work().finally(() => {
        working.delete(running);
        wake();
      });
      working.add(running);
    }
  }

  return {
    push(item) {
      const key = keyOf(item);
      const queue = waiting.get(key);
      if (queue === undefined) {
        waiting.set(key, [item]);
      } else {
        queue.push(item);
      }
      wake();
    },
    clear(isMeant = () => true) {
      const cleared: T[] = [];
      for (const [key, queue] of waiting) {
        cleared.push(...queue.filter(isMeant));
        const kept = queue.filter((item) => !isMeant(item));
        if (kept.length > 0) {
          waiting.set(key, kept);
        } else {
          waiting.delete(key);
        }
      }
      return cleared;
    },
    async underway(isMeant = () => true) {
      await Promise.all([...begun].flatMap(([processing, batch]) => (batch.some(isMeant) ? [processing] : [])));
    },
  };
}

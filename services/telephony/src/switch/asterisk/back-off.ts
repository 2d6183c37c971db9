export interface BackOff {
  /** How long to wait before the next attempt: longer each time, with jitter. */
  next(): number;
  reset(): void;
}

export interface BackOffOptions {
  shortestMs: number;
  longestMs: number;
  /** Between 0 and 1. */
  random?: () => number;
}

export function createBackOff({ shortestMs, longestMs, random = Math.random }: BackOffOptions): BackOff {
  let attempts = 0;
  return {
    next() {
      const ceiling = Math.min(longestMs, shortestMs * 2 ** attempts);
      attempts += 1;
      return Math.round(ceiling * (0.5 + random() / 2));
    },
    reset() {
      attempts = 0;
    },
  };
}

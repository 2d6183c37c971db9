import { LRUCache } from 'lru-cache';
import { runShared } from '../../request-scope';

export interface LeasedCacheOptions<Value> {
  lookup: (key: string) => Promise<Value>;
  /** Whether an answer is kept: what does not exist may be created the next moment. */
  keeps: (value: Value) => boolean;
  ttlMs: number;
  maximum: number;
  now: () => number;
  /** Held while broadcasts are received. While it is not, as at the start, the cache is neither read nor filled. */
  lease: { readonly held: boolean };
  onKept?: (value: Value, key: string) => void;
  onForgotten?: (value: Value, key: string) => void;
}

export interface LeasedCache<Value> {
  /** Undefined: it has to be looked up. */
  kept(key: string): Value | undefined;
  /** Those who look up the same key at the same time share one lookup, which goes on when the first of them leaves. */
  lookUp(key: string): Promise<Value>;
  drop(key: string): void;
  /** Nothing is kept of the lookups that are running: they may be older than a change. */
  dropLookups(): void;
  clear(): void;
}

export function createLeasedCache<Value extends object>(options: LeasedCacheOptions<Value>): LeasedCache<Value> {
  const { lookup, keeps, ttlMs, maximum, now, lease, onKept, onForgotten } = options;
  const values = new LRUCache<string, Value>({
    max: maximum,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now },
    dispose: (value, key) => onForgotten?.(value, key),
  });
  const running = new Map<string, Promise<Value>>();

  function keep(key: string, value: Value): void {
    if (keeps(value) && lease.held) {
      values.set(key, value);
      onKept?.(value, key);
    }
  }

  return {
    kept: (key) => (lease.held ? values.get(key) : undefined),
    lookUp(key) {
      const shared = running.get(key);
      if (shared !== undefined) {
        return shared;
      }
      /** False once it was dropped: then it may be older than the change, and is not kept. */
      const endIfRunning = (): boolean => running.get(key) === started && running.delete(key);
      const started: Promise<Value> = runShared(() => lookup(key)).then(
        (value) => {
          if (endIfRunning()) keep(key, value);
          return value;
        },
        (error: unknown) => {
          endIfRunning();
          throw error;
        },
      );
      running.set(key, started);
      return started;
    },
    drop(key) {
      running.delete(key);
      values.delete(key);
    },
    dropLookups: () => running.clear(),
    clear() {
      running.clear();
      values.clear();
    },
  };
}

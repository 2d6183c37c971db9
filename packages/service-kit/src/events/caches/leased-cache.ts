import { LRUCache } from 'lru-cache';
import { runShared } from '../../request-scope';

export interface LeasedCacheOptions<Value> {
  lookup: (key: string) => Promise<Value>;
  /** Whose entry it is; undefined: the answer is not kept, as what does not exist may be created the next moment. */
  ownerOf: (value: Value) => number | undefined;
  ttlMs: number;
  maximum: number;
  now: () => number;
  /** Held while broadcasts are received. While it is not, as at the start, the cache is neither read nor filled. */
  lease: { readonly held: boolean };
}

export interface LeasedCache<Value> {
  /** Undefined: it has to be looked up. */
  kept(key: string): Value | undefined;
  /**
   * Under the lease, those who look up the same key at the same time share one lookup, which goes on when the first of them leaves.
   * Without it they do not: a lookup may have begun before a change that nobody could tell of.
   */
  lookUp(key: string): Promise<Value>;
  drop(key: string): void;
  dropOwner(owner: number): void;
  clear(): void;
}

export function createLeasedCache<Value extends object>(options: LeasedCacheOptions<Value>): LeasedCache<Value> {
  const { lookup, ownerOf, ttlMs, maximum, now, lease } = options;
  const keysOfOwners = new Map<number, Set<string>>();
  const values = new LRUCache<string, Value>({
    max: maximum,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now },
    dispose: forget,
  });
  const running = new Map<string, Promise<Value>>();

  function keep(key: string, value: Value): void {
    const owner = ownerOf(value);
    if (owner === undefined || !lease.held) {
      return;
    }
    values.set(key, value);
    keysOfOwners.set(owner, (keysOfOwners.get(owner) ?? new Set()).add(key));
  }

  function forget(value: Value, key: string): void {
    const owner = ownerOf(value);
    const keys = owner === undefined ? undefined : keysOfOwners.get(owner);
    if (keys?.delete(key) && keys.size === 0) {
      keysOfOwners.delete(owner!);
    }
  }

  return {
    kept: (key) => (lease.held ? values.get(key) : undefined),
    lookUp(key) {
      if (!lease.held) {
        return lookup(key);
      }
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
    dropOwner(owner) {
      // Whose the running lookups are is not known yet, so all of them are dropped.
      running.clear();
      for (const key of keysOfOwners.get(owner) ?? []) {
        values.delete(key);
      }
    },
    clear() {
      running.clear();
      values.clear();
    },
  };
}

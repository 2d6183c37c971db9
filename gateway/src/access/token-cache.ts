import { LRUCache } from 'lru-cache';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';

export interface Session {
  state: 'live' | 'expired' | 'unknown' | 'suspended';
  /** Of a suspended account: why, in the operator's words. */
  suspension?: string;
  caller?: Caller;
  tokenHash?: string;
  /** Milliseconds since the epoch; undefined for a token that never expires. */
  expiresAt?: number;
  /** Its token belongs into the cookie of the console, and works nowhere else. */
  ofConsole?: boolean;
}

/** What is no longer to be trusted: a token that is dead, or sessions that have to be looked up again. */
export type Dropped = { kind: 'token'; tokenHash: string } | { kind: 'user'; userId: number } | { kind: 'all' };

export interface TokenCacheOptions {
  lookup: (tokenHash: string) => Promise<Session>;
  ttlMs: number;
  maximum: number;
  now: () => number;
  /** Held while revocations are received. While it is not, as at the start, the cache is neither read nor filled. */
  lease: { readonly held: boolean };
}

export interface TokenCache {
  get(tokenHash: string): Promise<Session>;
  /** Whether get() would resolve without asking identity. */
  has(tokenHash: string): boolean;
  dropToken(tokenHash: string): void;
  dropUser(userId: number): void;
  clear(): void;
  /** For those who rely on a session for longer than a request; the returned function ends it. */
  onDrop(listener: (dropped: Dropped) => void): () => void;
}

/** Keeps live tokens only: an unknown token may be created the next moment. */
export function createTokenCache({ lookup, ttlMs, maximum, now, lease }: TokenCacheOptions): TokenCache {
  const hashesOfUsers = new Map<number, Set<string>>();
  const sessions = new LRUCache<string, Session>({
    max: maximum,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now },
    dispose: (session, hash) => forget(session, hash),
  });
  const listeners = new Set<(dropped: Dropped) => void>();
  const tell = (dropped: Dropped): void => listeners.forEach((listener) => listener(dropped));
  const running = new Map<string, Promise<Session>>();

  function forget({ caller }: Session, hash: string): void {
    const hashes = caller && hashesOfUsers.get(caller.userId);
    if (caller !== undefined && hashes?.delete(hash) && hashes.size === 0) {
      hashesOfUsers.delete(caller.userId);
    }
  }

  function remember(hash: string, session: Session): void {
    const { caller } = session;
    if (session.state !== 'live' || caller === undefined || !lease.held) {
      return;
    }
    sessions.set(hash, session);
    const hashes = hashesOfUsers.get(caller.userId) ?? new Set();
    hashesOfUsers.set(caller.userId, hashes.add(hash));
  }

  /** Concurrent requests with the same token share one lookup. */
  function lookUp(hash: string): Promise<Session> {
    const shared = running.get(hash);
    if (shared !== undefined) {
      return shared;
    }
    const started = lookup(hash).then(
      (session) => {
        // A lookup that was dropped meanwhile may be older than the revocation, so its session is not kept.
        if (running.get(hash) === started) {
          running.delete(hash);
          remember(hash, session);
        }
        return session;
      },
      (error: unknown) => {
        if (running.get(hash) === started) {
          running.delete(hash);
        }
        throw error;
      },
    );
    running.set(hash, started);
    return started;
  }

  const cache: TokenCache = {
    get(hash) {
      const session = lease.held ? sessions.get(hash) : undefined;
      if (session === undefined) {
        return lookUp(hash);
      }
      const expired = session.expiresAt !== undefined && session.expiresAt <= now();
      return Promise.resolve(expired ? { state: 'expired' } : session);
    },
    has(hash) {
      return lease.held && sessions.has(hash);
    },
    dropToken(hash) {
      running.delete(hash);
      sessions.delete(hash);
      tell({ kind: 'token', tokenHash: hash });
    },
    dropUser(userId) {
      // The users of the running lookups are not known yet, so all of them are dropped.
      running.clear();
      for (const hash of hashesOfUsers.get(userId) ?? []) {
        sessions.delete(hash);
      }
      tell({ kind: 'user', userId });
    },
    clear() {
      running.clear();
      sessions.clear();
      hashesOfUsers.clear();
      tell({ kind: 'all' });
    },
    onDrop(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return cache;
}

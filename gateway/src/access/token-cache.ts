import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { createLeasedCache } from '@sabia/service-kit/events/caches/leased-cache';
import type { LeasedCacheOptions } from '@sabia/service-kit/events/caches/leased-cache';

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

export type TokenCacheOptions = Pick<LeasedCacheOptions<Session>, 'lookup' | 'ttlMs' | 'maximum' | 'now' | 'lease'>;

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
export function createTokenCache(options: TokenCacheOptions): TokenCache {
  const { now } = options;
  const sessions = createLeasedCache<Session>({
    ...options,
    ownerOf: ({ state, caller }) => (state === 'live' ? caller?.userId : undefined),
  });
  const listeners = new Set<(dropped: Dropped) => void>();
  const tell = (dropped: Dropped): void => listeners.forEach((listener) => listener(dropped));

  return {
    get(hash) {
      const session = sessions.kept(hash);
      if (session === undefined) {
        return sessions.lookUp(hash);
      }
      const expired = session.expiresAt !== undefined && session.expiresAt <= now();
      return Promise.resolve(expired ? { state: 'expired' } : session);
    },
    has: (hash) => sessions.kept(hash) !== undefined,
    dropToken(hash) {
      sessions.drop(hash);
      tell({ kind: 'token', tokenHash: hash });
    },
    dropUser(userId) {
      sessions.dropOwner(userId);
      tell({ kind: 'user', userId });
    },
    clear() {
      sessions.clear();
      tell({ kind: 'all' });
    },
    onDrop(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

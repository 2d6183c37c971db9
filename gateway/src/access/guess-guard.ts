import { LRUCache } from 'lru-cache';
import { WINDOW_SECONDS } from '../contract/rate-limit-classes';
import type { Session } from './token-cache';

/** Remembers the tokens that each address tried within the last minute and that were not live. */
export interface GuessGuard {
  /** The session found last time, so that a client that repeats a bad token costs no further lookup. */
  remembered(address: string, tokenHash: string): Session | undefined;
  /** Whether the address has tried so many different tokens that no further one is looked up for it. */
  isExhausted(address: string): boolean;
  note(address: string, tokenHash: string, session: Session): void;
}

const guessesPerWindow = 60;

/** Tokens are random: an unknown one does not become live within a minute, nor does an expired one. */
export function createGuessGuard(): GuessGuard {
  const guesses = new LRUCache<string, Map<string, Session>>({
    max: 10_000,
    ttl: WINDOW_SECONDS * 1_000,
    noUpdateTTL: true,
  });
  return {
    remembered: (address, hash) => guesses.get(address)?.get(hash),
    isExhausted: (address) => (guesses.get(address)?.size ?? 0) >= guessesPerWindow,
    note(address, hash, session) {
      const tried = guesses.get(address) ?? new Map<string, Session>();
      tried.set(hash, session);
      guesses.set(address, tried);
    },
  };
}

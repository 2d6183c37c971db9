import { LRUCache } from 'lru-cache';
import { WINDOW_SECONDS } from '../contract/rate-limit-classes';
import type { Session } from './token-cache';

/** What an address has tried lately that was no good. */
export interface GuessGuard {
  /** The answer of last time, so that a client that repeats itself costs no further lookup. */
  remembered(address: string, tokenHash: string): Session | undefined;
  /** The address has tried so many different tokens that it gets no other one looked up for a while. */
  isExhausted(address: string): boolean;
  note(address: string, tokenHash: string, session: Session): void;
}

const guessesPerWindow = 60;

/** Tokens are random: one that identity does not know will not come to life within a minute, nor will one that has expired. */
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

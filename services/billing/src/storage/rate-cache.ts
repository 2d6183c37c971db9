import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { Deck, defaultDeckName } from '../domain/rate-book';
import type { DeckSet } from '../domain/rate-book';
import { readDeckAssignments, readDeckVersions, readRates, readRatesVersion } from './rates';

export interface RateCache {
  /** Undefined until the first load. */
  readonly decks: DeckSet | undefined;
  /** Loads changed decks; meanwhile prices come from the old ones. */
  refresh(): Promise<void>;
}

interface LoadedDeck {
  version: number;
  deck: Deck;
}

/** Keeps all decks in memory, so that a price needs no query. */
export function createRateCache({ database, log }: { database: Queryable; log: Logger }): RateCache {
  let loaded = new Map<number, LoadedDeck>();
  let decks: DeckSet | undefined;
  let seen: number | undefined;
  let refreshing: Promise<void> | undefined;

  async function load(): Promise<void> {
    // Read first, so that a change during the load is noticed by the next refresh.
    const version = await readRatesVersion(database);
    if (version === seen) {
      return;
    }
    const [versions, assignments] = [await readDeckVersions(database), await readDeckAssignments(database)];
    const next = new Map<number, LoadedDeck>();
    for (const { id, version: deckVersion } of versions) {
      const known = loaded.get(id);
      next.set(id, known?.version === deckVersion ? known : { version: deckVersion, deck: await loadDeck(id) });
    }
    const byAccount = new Map(assignments.map(({ accountId, deckId }) => [accountId, next.get(deckId)?.deck]));
    const defaultId = versions.find(({ name }) => name === defaultDeckName)?.id;
    const defaultDeck = defaultId === undefined ? undefined : next.get(defaultId)?.deck;
    decks = { defaultDeck, ofAccount: (accountId) => byAccount.get(accountId) };
    loaded = next;
    seen = version;
    log.info({ decks: next.size, prefixes: defaultDeck?.prefixes ?? 0 }, 'rate decks loaded');
  }

  async function loadDeck(id: number): Promise<Deck> {
    const deck = new Deck();
    for await (const rates of readRates(database, id)) {
      rates.forEach((rate) => deck.add(rate));
    }
    return deck;
  }

  return {
    get decks() {
      return decks;
    },
    refresh() {
      refreshing ??= load().finally(() => (refreshing = undefined));
      return refreshing;
    },
  };
}

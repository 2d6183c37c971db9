import { unavailable } from '@sabia/service-kit/errors';
import type { Tariff } from './tariff';

/** One line of a deck: what calls to numbers that begin with the prefix cost, and from when to when. */
export interface Rate extends Tariff {
  prefix: string;
  description: string;
  validFrom: Date;
  /** The first moment at which the rate is no longer valid. */
  validTo?: Date;
}

export const defaultDeckName = 'default';

/** All rates of one deck, by prefix; a prefix may have several, one after the other in time. */
export class Deck {
  private readonly table = new PrefixTable<Rate[]>();

  get prefixes(): number {
    return this.table.size;
  }

  add(rate: Rate): void {
    const rates = this.table.get(rate.prefix);
    if (rates === undefined) {
      this.table.set(rate.prefix, [rate]);
    } else {
      rates.push(rate);
    }
  }

  find(destination: string, at: Date): Rate | undefined {
    const rates = this.table.find(destination, (candidates) => rateAt(candidates, at) !== undefined);
    return rates && rateAt(rates, at);
  }
}

/** The newest of the rates that are valid at that moment. */
function rateAt(rates: readonly Rate[], at: Date): Rate | undefined {
  let newest: Rate | undefined;
  for (const rate of rates) {
    const holds = rate.validFrom <= at && (rate.validTo === undefined || at < rate.validTo);
    if (holds && (newest === undefined || rate.validFrom >= newest.validFrom)) {
      newest = rate;
    }
  }
  return newest;
}

/** Looks up the account's own deck first, then the default deck. */
export interface RateBook {
  find(accountId: number, destination: string, at: Date): Rate | undefined;
}

export interface DeckSet {
  defaultDeck: Deck | undefined;
  ofAccount(accountId: number): Deck | undefined;
}

export function findRate(decks: DeckSet, accountId: number, destination: string, at: Date): Rate | undefined {
  return decks.ofAccount(accountId)?.find(destination, at) ?? decks.defaultDeck?.find(destination, at);
}

/** The rates as they are at the moment of each question. */
export function createRateBook(currentDecks: () => DeckSet | undefined): RateBook {
  return {
    find(accountId, destination, at) {
      const decks = currentDecks();
      if (decks === undefined) {
        throw unavailable('The rates are not loaded yet.');
      }
      return findRate(decks, accountId, destination, at);
    },
  };
}

const DIGITS = 10;
const ZERO = '0'.charCodeAt(0);
const FIRST_CAPACITY = 1_024;

/**
 * Longest-prefix lookup over digits: a trie in one flat array, ten children to a node. A lookup is at most fifteen array
 * reads and allocates nothing, however many prefixes there are.
 */
export class PrefixTable<T> {
  private children = new Int32Array(FIRST_CAPACITY * DIGITS);
  private readonly values: (T | undefined)[] = [undefined];
  private nodes = 1;
  private filled = 0;

  /** How many prefixes there are. */
  get size(): number {
    return this.filled;
  }

  get(prefix: string): T | undefined {
    const node = this.walk(prefix);
    return node === undefined ? undefined : this.values[node];
  }

  set(prefix: string, value: T): void {
    let node = 0;
    for (let at = 0; at < prefix.length; at++) {
      const slot = node * DIGITS + digitAt(prefix, at);
      node = this.children[slot] || this.grow(slot);
    }
    if (this.values[node] === undefined) {
      this.filled++;
    }
    this.values[node] = value;
  }

  /** The value of the longest prefix of the number that is accepted; shorter ones are tried when it is not. */
  find(number: string, accepts: (value: T) => boolean = () => true): T | undefined {
    let found = this.accepted(0, accepts);
    let node = 0;
    for (let at = 0; at < number.length; at++) {
      node = this.children[node * DIGITS + digitAt(number, at)] as number;
      if (node === 0) {
        break;
      }
      found = this.accepted(node, accepts) ?? found;
    }
    return found;
  }

  private accepted(node: number, accepts: (value: T) => boolean): T | undefined {
    const value = this.values[node];
    return value !== undefined && accepts(value) ? value : undefined;
  }

  private walk(prefix: string): number | undefined {
    let node = 0;
    for (let at = 0; at < prefix.length; at++) {
      node = this.children[node * DIGITS + digitAt(prefix, at)] as number;
      if (node === 0) {
        return undefined;
      }
    }
    return node;
  }

  private grow(slot: number): number {
    const node = this.nodes++;
    if (node * DIGITS >= this.children.length) {
      const larger = new Int32Array(this.children.length * 2);
      larger.set(this.children);
      this.children = larger;
    }
    this.children[slot] = node;
    this.values.push(undefined);
    return node;
  }
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO;
  if (digit < 0 || digit >= DIGITS) {
    throw new RangeError('a prefix has digits only');
  }
  return digit;
}

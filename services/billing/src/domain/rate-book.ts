import { PrefixTable } from './prefix-table';
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

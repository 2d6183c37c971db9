import type { Tariff } from './tariff';

/** One line of a deck: what calls to numbers that begin with the prefix cost, and from when to when. */
export interface Rate extends Tariff {
  prefix: string;
  description: string;
  validFrom: Date;
  /** The first moment at which it no longer holds. */
  validTo?: Date;
}

export const defaultDeckName = 'default';

/** The newest of the rates that hold at that moment. */
export function rateAt(rates: readonly Rate[], at: Date): Rate | undefined {
  let newest: Rate | undefined;
  for (const rate of rates) {
    const holds = rate.validFrom <= at && (rate.validTo === undefined || at < rate.validTo);
    if (holds && (newest === undefined || rate.validFrom >= newest.validFrom)) {
      newest = rate;
    }
  }
  return newest;
}

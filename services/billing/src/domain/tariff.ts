import type { Money } from './money';

/** How talking time becomes money: the first minimumSeconds are always paid, then every begun increment. */
export interface Tariff {
  minutePrice: Money;
  minimumSeconds: number;
  incrementSeconds: number;
}

/** The longest time that is reserved at once, whatever the credit; also the time for free destinations. */
export const longestCallSeconds = 24 * 60 * 60;

/** A duration beyond this is a mistake of the measurement; it is billed as this much. */
export const longestBilledSeconds = 30 * 24 * 60 * 60;

/** The least that a call can be billed. */
export function firstStep({ minimumSeconds, incrementSeconds }: Tariff): number {
  return minimumSeconds > 0 ? minimumSeconds : incrementSeconds;
}

/** A call that was never answered has no duration and is not billed. */
export function billedSeconds(tariff: Tariff, durationSeconds: number): number {
  if (durationSeconds <= 0) {
    return 0;
  }
  const { minimumSeconds, incrementSeconds } = tariff;
  const seconds = Math.min(durationSeconds, longestBilledSeconds);
  if (seconds <= minimumSeconds) {
    return minimumSeconds;
  }
  return minimumSeconds + Math.ceil((seconds - minimumSeconds) / incrementSeconds) * incrementSeconds;
}

/** How many increments the billed seconds have beyond the minimum. */
export function incrementsIn({ minimumSeconds, incrementSeconds }: Tariff, billed: number): number {
  return Math.max(0, Math.ceil((billed - minimumSeconds) / incrementSeconds));
}

/** Rounded half up to 1/10000 real, once, on the whole call. */
export function priceOf({ minutePrice }: Tariff, seconds: number): Money {
  const price = Math.floor((2 * minutePrice * seconds + 60) / 120);
  if (!Number.isSafeInteger(2 * minutePrice * seconds)) {
    throw new RangeError('the price of a call is out of range');
  }
  return price;
}

/** The longest billable time that the credit pays for; 0 when it does not even pay for the first step. */
export function affordableSeconds(tariff: Tariff, credit: Money): number {
  // priceOf(s) ≤ credit  ⇔  s < (60·credit + 30) / minutePrice
  const limit = tariff.minutePrice === 0 ? longestCallSeconds : Math.ceil((60 * credit + 30) / tariff.minutePrice) - 1;
  const seconds = Math.min(limit, longestCallSeconds);
  if (credit < 0 || seconds < firstStep(tariff)) {
    return 0;
  }
  const { minimumSeconds, incrementSeconds } = tariff;
  return minimumSeconds + Math.floor((seconds - minimumSeconds) / incrementSeconds) * incrementSeconds;
}

import type { Money } from './money';
import { affordableSeconds, billedSeconds, firstStep, priceOf } from './tariff';
import type { Tariff } from './tariff';

/** The credit of an account and the part held by live calls. */
export interface Credit {
  balance: Money;
  reserved: Money;
}

export const availableOf = ({ balance, reserved }: Credit): Money => balance - reserved;

export interface Grant {
  /** Money held in all. */
  amount: Money;
  /** Talking time that it pays for. */
  seconds: number;
  /** Less than requested, and the credit does not cover more. */
  exhausted: boolean;
}

/** A call takes at most this fraction of the credit at a time, except for a single step, so that other calls get credit, too. */
const shares = 20;

/** The credit from which a new call gets all that it requests. */
export function plentyFor(tariff: Tariff, seconds: number): Money {
  return priceOf(tariff, seconds) * (seconds > firstStep(tariff) ? shares : 1);
}

/** The credit from which each of several new calls gets all that it requests. */
export function plentyForAll(calls: readonly { amount: Money; plenty: Money }[]): Money {
  let taken = 0;
  let needed = 0;
  for (const { amount, plenty } of calls) {
    needed = Math.max(needed, taken + plenty);
    taken += amount;
  }
  return needed;
}

/** How much of the requested time the credit covers, in addition to the time already held, which is never reduced. */
export function grantTime(
  tariff: Tariff,
  credit: Credit,
  held: { amount: Money; seconds: number },
  wanted: number,
): Grant {
  const target = billedSeconds(tariff, Math.max(wanted, firstStep(tariff)));
  const available = availableOf(credit);
  const affordable = affordableSeconds(tariff, held.amount + available);
  const step = held.seconds === 0 ? firstStep(tariff) : tariff.incrementSeconds;
  const share = affordableSeconds(tariff, held.amount + Math.floor(available / shares));
  const fair = Math.max(share, held.seconds + step);
  const seconds = Math.max(held.seconds, Math.min(target, affordable, fair));
  const amount = Math.max(held.amount, priceOf(tariff, seconds));
  return { amount, seconds, exhausted: seconds < target && affordable <= seconds };
}

export interface Settlement {
  /** The billed time: the length of the call, limited by its reservation and the credit. */
  billedSeconds: number;
  /** Of the billed seconds, exactly. */
  price: Money;
  /** What the call would have cost beyond that. It is not owed: credit is prepaid. */
  uncollected: Money;
  credit: Credit;
}

/**
 * Releases the held credit of a call and books its price in one step, for at most the reserved time. Credit that is still held is
 * always taken: if a refund removed it during the call, the account owes it. If the reservation has expired or was released, the
 * price is taken as far as the credit covers it.
 */
export function settle(
  tariff: Tariff,
  credit: Credit,
  held: { amount: Money; seconds: number },
  durationSeconds: number,
): Settlement {
  const talked = billedSeconds(tariff, durationSeconds);
  const reserved = Math.min(talked, held.seconds);
  const billed =
    priceOf(tariff, reserved) <= held.amount
      ? reserved
      : Math.min(reserved, affordableSeconds(tariff, availableOf(credit) + held.amount));
  const price = priceOf(tariff, billed);
  return {
    billedSeconds: billed,
    price,
    uncollected: priceOf(tariff, talked) - price,
    credit: { balance: credit.balance - price, reserved: credit.reserved - held.amount },
  };
}

/** Raised once while the credit falls, and again only after new credit. */
export interface Warnings {
  low: boolean;
  exhausted: boolean;
}

/** The warnings that apply after the balance has changed. */
export function warningsAt(balance: Money, lowThreshold: Money, before: Warnings, rose: boolean): Warnings {
  return {
    // Low credit is no warning while it rises.
    low: balance < lowThreshold && (before.low || !rose),
    // A refused call raises it as well; only new credit clears it.
    exhausted: !rose && (balance <= 0 || before.exhausted),
  };
}

export interface CreditWarning {
  kind: keyof Warnings;
  accountId: number;
  balance: Money;
}

/** Warnings that did not apply before. */
export function newWarnings(accountId: number, balance: Money, before: Warnings, after: Warnings): CreditWarning[] {
  const kinds = ['low', 'exhausted'] as const;
  return kinds.filter((kind) => after[kind] && !before[kind]).map((kind) => ({ kind, accountId, balance }));
}

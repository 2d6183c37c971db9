import type { Money } from './money';
import { affordableSeconds, billedSeconds, firstStep, priceOf } from './tariff';
import type { Tariff } from './tariff';

/** What an account has, and how much of it live calls hold. */
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
  /** Less than was wanted, and the credit does not pay for any more. */
  exhausted: boolean;
}

/** No call takes more than one of so many parts of the credit at a time, but for a single step: others want to talk, too. */
const shares = 20;

/** With at least this much, a new call is given all that it wants. */
export function plentyFor(tariff: Tariff, seconds: number): Money {
  return priceOf(tariff, seconds) * (seconds > firstStep(tariff) ? shares : 1);
}

/** With at least this much, each of several new calls finds plenty when its turn comes. */
export function plentyForAll(calls: readonly { amount: Money; plenty: Money }[]): Money {
  let taken = 0;
  let needed = 0;
  for (const { amount, plenty } of calls) {
    needed = Math.max(needed, taken + plenty);
    taken += amount;
  }
  return needed;
}

/** How much of the wanted time can be paid for, on top of what the call holds already. Nothing is ever taken back. */
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
  /** What is paid for: the length of the call, or as much of it as was reserved and is there. */
  billedSeconds: number;
  /** Of the billed seconds, exactly. */
  price: Money;
  /** What the call would have cost beyond that. It is not owed: credit is prepaid. */
  uncollected: Money;
  credit: Credit;
}

/**
 * Gives back what the call held and takes its price, in one step; never for more time than was reserved for it. What is still held
 * is taken in any case: that a refund took it away under the call is the account's debt. What is held no more, because
 * the reservation expired or was released, is taken as far as it is there.
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

/** Told once on the way down, and again only after credit has come in between. */
export interface Warnings {
  low: boolean;
  exhausted: boolean;
}

/** The warnings that hold after the balance has moved. */
export function warningsAt(balance: Money, lowThreshold: Money, before: Warnings, rose: boolean): Warnings {
  return {
    // Credit that is little on its way up is no warning.
    low: balance < lowThreshold && (before.low || !rose),
    // A refused call raises it as well; only new credit takes it away.
    exhausted: !rose && (balance <= 0 || before.exhausted),
  };
}

export interface CreditWarning {
  kind: keyof Warnings;
  accountId: number;
  balance: Money;
}

/** Those that did not hold before. */
export function newWarnings(accountId: number, balance: Money, before: Warnings, after: Warnings): CreditWarning[] {
  const kinds = ['low', 'exhausted'] as const;
  return kinds.filter((kind) => after[kind] && !before[kind]).map((kind) => ({ kind, accountId, balance }));
}

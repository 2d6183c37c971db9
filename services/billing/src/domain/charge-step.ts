import type { Charge } from './charge';
import { isOpen, isPaid, nextStatus } from './charge-status';
import type { ChargeEvent } from './charge-status';
import { toDecimal } from './money';
import type { Money } from './money';

/** An event reported by a provider or the calendar, with the amounts of the payment at that time. */
export interface ChargeNews {
  event: ChargeEvent;
  /** What the payer paid. */
  amount?: Money;
  /** The total of refunds. */
  refunded?: Money;
}

type ChargeMoney = Pick<
  Charge,
  'id' | 'status' | 'amount' | 'paidAmount' | 'paidAt' | 'refundedAmount' | 'refundedAt' | 'chargeback' | 'chargebackAt'
>;

/** A movement of the account's credit; each reference is booked at most once. */
export interface CreditChange {
  kind: 'topup' | 'refund' | 'chargeback' | 'reversal';
  reference: string;
  amount: Money;
}

export interface ChargeStep<C extends ChargeMoney = Charge> {
  charge: C;
  changes: CreditChange[];
}

/** The amount booked for the charge. Older releases did not store it and booked the amount of the charge. */
export const paidOf = ({ paidAmount, paidAt, amount }: ChargeMoney): Money =>
  paidAmount ?? (paidAt === undefined ? 0 : amount);

/** The part returned by refunds or by a chargeback. */
export const takenOf = (charge: ChargeMoney): Money =>
  charge.status === 'REFUNDED' ? paidOf(charge) : charge.refundedAmount;

const needsAmount = (event: ChargeEvent): boolean =>
  ['confirmed', 'received', 'partially refunded', 'charged back'].includes(event);

/** The event moves money that was not booked before, without an amount. */
export const isUnclear = ({ status }: ChargeMoney, { event, amount, refunded }: ChargeNews): boolean =>
  (isOpen(status) && needsAmount(event) && amount === undefined) ||
  (event === 'partially refunded' && refunded === undefined);

/** The charge after the event and the movement of credit. Undefined if the event is late, repeated or out of order. */
export function stepOf<C extends ChargeMoney>(charge: C, news: ChargeNews, at: Date): ChargeStep<C> | undefined {
  switch (news.event) {
    case 'confirmed':
    case 'received':
      return pay(charge, news, at);
    case 'refunded':
      return isPaid(charge.status) ? giveBack(charge, paidOf(charge), at) : move(charge, 'refunded', at);
    case 'partially refunded':
      return afterPayment(charge, news, at, (paid) => giveBack(paid, news.refunded ?? 0, at));
    case 'charged back':
      return afterPayment(charge, news, at, (paid) => takeBack(paid, at));
    case 'chargeback reversed':
      return reverse(charge, at);
    default:
      return move(charge, news.event, at);
  }
}

function move<C extends ChargeMoney>(charge: C, event: ChargeEvent, at: Date): ChargeStep<C> | undefined {
  const status = nextStatus(charge.status, event);
  if (status === undefined) {
    return undefined;
  }
  return { charge: { ...charge, status, ...(status === 'REFUNDED' ? { refundedAt: at } : {}) }, changes: [] };
}

/** Credit is booked with the first of CONFIRMED and RECEIVED; the second corrects it if another amount was received. */
function pay<C extends ChargeMoney>(charge: C, { event, amount }: ChargeNews, at: Date): ChargeStep<C> | undefined {
  const step = move(charge, event, at);
  if (step === undefined || (isOpen(charge.status) && amount === undefined)) {
    return undefined;
  }
  const paidAmount = amount ?? paidOf(charge);
  const difference = paidAmount - paidOf(charge);
  const reference = isOpen(charge.status) ? String(charge.id) : `${charge.id}:received`;
  return {
    charge: { ...step.charge, paidAmount },
    changes: difference === 0 ? [] : [{ kind: 'topup', reference, amount: difference }],
  };
}

/** Returned money implies a payment before, whether it was reported or not. */
function afterPayment<C extends ChargeMoney>(
  charge: C,
  { amount }: ChargeNews,
  at: Date,
  then: (paid: C) => ChargeStep<C> | undefined,
): ChargeStep<C> | undefined {
  const payment = isOpen(charge.status) ? pay(charge, { event: 'received', amount }, at) : undefined;
  const step = then(payment?.charge ?? charge);
  return step && { ...step, changes: [...(payment?.changes ?? []), ...step.changes] };
}

function giveBack<C extends ChargeMoney>(charge: C, total: Money, at: Date): ChargeStep<C> | undefined {
  const refundedAmount = Math.min(total, paidOf(charge));
  if (!isPaid(charge.status) || refundedAmount <= charge.refundedAmount) {
    return undefined;
  }
  const status = refundedAmount === paidOf(charge) ? 'REFUNDED' : charge.status;
  const reference = `${charge.id}:${toDecimal(refundedAmount)}`;
  return {
    charge: { ...charge, status, refundedAmount, refundedAt: at },
    changes: [{ kind: 'refund', reference, amount: charge.refundedAmount - refundedAmount }],
  };
}

/** Applied once: a chargeback causes several notifications, and those after its reversal are late. */
function takeBack<C extends ChargeMoney>(charge: C, at: Date): ChargeStep<C> | undefined {
  if (!isPaid(charge.status) || charge.chargeback !== undefined) {
    return undefined;
  }
  return {
    charge: { ...charge, status: 'REFUNDED', chargeback: 'open', chargebackAt: at, refundedAt: at },
    changes: [{ kind: 'chargeback', reference: String(charge.id), amount: charge.refundedAmount - paidOf(charge) }],
  };
}

/** The dispute was won. If reported before the chargeback itself, that one takes nothing. */
function reverse<C extends ChargeMoney>(charge: C, at: Date): ChargeStep<C> | undefined {
  if (isPaid(charge.status) && charge.chargeback === undefined) {
    return { charge: { ...charge, chargeback: 'reversed', chargebackAt: at }, changes: [] };
  }
  if (charge.chargeback !== 'open') {
    return undefined;
  }
  const { refundedAmount } = charge;
  return {
    charge: {
      ...charge,
      status: 'RECEIVED',
      chargeback: 'reversed',
      refundedAt: refundedAmount === 0 ? undefined : charge.refundedAt,
    },
    changes: [{ kind: 'reversal', reference: String(charge.id), amount: paidOf(charge) - refundedAmount }],
  };
}

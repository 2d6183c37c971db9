import type { Charge } from './charge';
import { isOpen, isPaid, nextStatus } from './charge-status';
import type { ChargeEvent } from './charge-status';
import { toDecimal } from './money';
import type { Money } from './money';

/** What a provider or the calendar says has happened, with the sums that the payment had then. */
export interface ChargeNews {
  event: ChargeEvent;
  /** What the payer paid. */
  amount?: Money;
  /** What refunds have given back of it in all. */
  refunded?: Money;
}

type ChargeMoney = Pick<
  Charge,
  'id' | 'status' | 'amount' | 'paidAmount' | 'paidAt' | 'refundedAmount' | 'refundedAt' | 'chargeback' | 'chargebackAt'
>;

/** What moves the account's credit; of each reference one, ever. */
export interface CreditChange {
  kind: 'topup' | 'refund' | 'chargeback' | 'reversal';
  reference: string;
  amount: Money;
}

export interface ChargeStep<C extends ChargeMoney = Charge> {
  charge: C;
  changes: CreditChange[];
}

/** What was booked for the charge. Releases that did not note it booked the amount of the charge. */
export const paidOf = ({ paidAmount, paidAt, amount }: ChargeMoney): Money =>
  paidAmount ?? (paidAt === undefined ? 0 : amount);

/** What has gone back of that, by refunds or by a chargeback. */
export const takenOf = (charge: ChargeMoney): Money =>
  charge.status === 'REFUNDED' ? paidOf(charge) : charge.refundedAmount;

const needsAmount = (event: ChargeEvent): boolean =>
  ['confirmed', 'received', 'partially refunded', 'charged back'].includes(event);

/** The news moves money that was not booked before, and does not say how much. */
export const isUnclear = ({ status }: ChargeMoney, { event, amount, refunded }: ChargeNews): boolean =>
  (isOpen(status) && needsAmount(event) && amount === undefined) ||
  (event === 'partially refunded' && refunded === undefined);

/** The charge after it, and what that does to the credit. Undefined: it comes late, twice or out of order and changes nothing. */
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

/** Credit is booked with the first of CONFIRMED and RECEIVED; the second corrects it when another amount has arrived in the end. */
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

/** Money that went back had come before, whatever we were told of that. */
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

/** Once: the notifications of one chargeback are several, and those after its reversal are late. */
function takeBack<C extends ChargeMoney>(charge: C, at: Date): ChargeStep<C> | undefined {
  if (!isPaid(charge.status) || charge.chargeback !== undefined) {
    return undefined;
  }
  return {
    charge: { ...charge, status: 'REFUNDED', chargeback: 'open', chargebackAt: at, refundedAt: at },
    changes: [{ kind: 'chargeback', reference: String(charge.id), amount: charge.refundedAmount - paidOf(charge) }],
  };
}

/** The dispute was won. Heard of before the chargeback itself, it keeps that from taking anything. */
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

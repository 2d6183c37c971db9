import { billingEvents } from '@sabia/protos/events/billing';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import { eventIdOf, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Charge } from '../domain/charge';
import type { ChargeEvent } from '../domain/charge-status';
import { paidOf, takenOf } from '../domain/charge-step';
import { availableOf } from '../domain/credit';
import type { Credit, CreditWarning } from '../domain/credit';
import type { Money } from '../domain/money';
import type { RatedCall } from '../domain/reservation';

/** Every event that billing publishes. */

/** Has the same id however often the price is published. */
export const callRated = (
  { accountId, callId, minutePrice, price, billedSeconds }: RatedCall,
  trace?: OutgoingEvent['trace'],
): OutgoingEvent =>
  outgoingEvent(
    billingEvents.callRated,
    { callId, minutePrice, callPrice: price, billedSeconds },
    { id: eventIdOf(billingEvents.callRated, callId), accountId, trace },
  );

const chargeEvents = {
  created: billingEvents.chargeCreated,
  confirmed: billingEvents.chargeConfirmed,
  received: billingEvents.chargeReceived,
  overdue: billingEvents.chargeOverdue,
  cancelled: billingEvents.chargeCancelled,
  refunded: billingEvents.chargeRefunded,
  // The payload says how much.
  'partially refunded': billingEvents.chargeRefunded,
  'charged back': billingEvents.chargeChargedBack,
  'chargeback reversed': billingEvents.chargeRestored,
} satisfies Record<ChargeEvent | 'created', unknown>;

export const chargeChanged = (charge: Charge, event: ChargeEvent | 'created'): OutgoingEvent =>
  outgoingEvent(
    chargeEvents[event],
    {
      chargeId: charge.id,
      status: ChargeStatus[charge.status],
      amount: charge.amount,
      paidAmount: paidOf(charge),
      refundedAmount: takenOf(charge),
    },
    { accountId: charge.accountId },
  );

export const balanceChanged = ({ accountId, balance, reserved }: Credit & { accountId: number }): OutgoingEvent =>
  outgoingEvent(
    billingEvents.balanceChanged,
    { balance, reserved, available: availableOf({ balance, reserved }) },
    { accountId },
  );

export const creditWarned = ({ kind, accountId, balance }: CreditWarning, threshold: Money): OutgoingEvent =>
  kind === 'low'
    ? outgoingEvent(billingEvents.creditLow, { balance, threshold }, { accountId })
    : outgoingEvent(billingEvents.creditExhausted, { balance }, { accountId });

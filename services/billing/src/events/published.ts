import { CallRated, ChargeChanged, CreditExhausted, CreditLow } from '@sabia/protos/sabia/billing/v1/events';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import { eventIdOf } from '@sabia/service-kit/events/event-id';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Charge } from '../domain/charge';
import type { ChargeEvent } from '../domain/charge-status';
import { paidOf, takenOf } from '../domain/charge-step';
import type { CreditWarning } from '../domain/credit';
import type { Money } from '../domain/money';
import type { RatedCall } from '../domain/reservation';

/** Every event that billing publishes. */

export const callRated = (
  { accountId, callId, minutePrice, price, billedSeconds }: RatedCall,
  trace?: OutgoingEvent['trace'],
): OutgoingEvent => ({
  // The same each time that a price is told.
  id: eventIdOf('billing.call.rated', callId),
  type: 'billing.call.rated',
  accountId,
  trace,
  payload: CallRated.encode({ callId, minutePrice, callPrice: price, billedSeconds }).finish(),
});

const changes: Record<ChargeEvent | 'created', string> = {
  created: 'created',
  confirmed: 'confirmed',
  received: 'received',
  overdue: 'overdue',
  cancelled: 'cancelled',
  refunded: 'refunded',
  // How much of it, the payload says.
  'partially refunded': 'refunded',
  'charged back': 'chargedback',
  'chargeback reversed': 'restored',
};

/** Named after what has happened to the charge. */
export const chargeChanged = (charge: Charge, event: ChargeEvent | 'created'): OutgoingEvent => ({
  type: `billing.charge.${changes[event]}`,
  accountId: charge.accountId,
  payload: ChargeChanged.encode({
    chargeId: charge.id,
    status: ChargeStatus[charge.status],
    amount: charge.amount,
    paidAmount: paidOf(charge),
    refundedAmount: takenOf(charge),
  }).finish(),
});

export const creditWarned = ({ kind, accountId, balance }: CreditWarning, threshold: Money): OutgoingEvent =>
  kind === 'low'
    ? { type: 'billing.credit.low', accountId, payload: CreditLow.encode({ balance, threshold }).finish() }
    : { type: 'billing.credit.exhausted', accountId, payload: CreditExhausted.encode({ balance }).finish() };

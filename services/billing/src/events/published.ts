import { CallRated, ChargeChanged, CreditExhausted, CreditLow } from '@sabia/protos/sabia/billing/v1/events';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Charge } from '../domain/charge';
import type { CreditWarning } from '../domain/credit';
import type { Money } from '../domain/money';
import type { RatedCall } from '../domain/reservation';

/** Every event that billing publishes. */

export const callRated = (
  { accountId, callId, minutePrice, price, billedSeconds }: RatedCall,
  trace?: OutgoingEvent['trace'],
): OutgoingEvent => ({
  type: 'billing.call.rated',
  accountId,
  trace,
  payload: CallRated.encode({ callId, minutePrice, callPrice: price, billedSeconds }).finish(),
});

const changes = {
  PENDING: 'created',
  CONFIRMED: 'confirmed',
  RECEIVED: 'received',
  OVERDUE: 'overdue',
  CANCELLED: 'cancelled',
  REFUNDED: 'refunded',
} as const;

/** Named after the status that the charge has now. */
export const chargeChanged = ({
  accountId,
  id,
  status,
  amount,
}: Pick<Charge, 'accountId' | 'id' | 'status' | 'amount'>): OutgoingEvent => ({
  type: `billing.charge.${changes[status]}`,
  accountId,
  payload: ChargeChanged.encode({ chargeId: id, status: ChargeStatus[status], amount }).finish(),
});

export const creditWarned = ({ kind, accountId, balance }: CreditWarning, threshold: Money): OutgoingEvent =>
  kind === 'low'
    ? { type: 'billing.credit.low', accountId, payload: CreditLow.encode({ balance, threshold }).finish() }
    : { type: 'billing.credit.exhausted', accountId, payload: CreditExhausted.encode({ balance }).finish() };

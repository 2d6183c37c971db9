import {
  BalanceChanged,
  CallRated,
  ChargeChanged,
  CreditExhausted,
  CreditLow,
} from '../../generated/sabia/billing/v1/events';
import { defineEvent } from './define-event';

/** Each tells that a charge has changed. */
export const chargeEvents = {
  chargeCreated: defineEvent('billing.charge.created', ChargeChanged),
  chargeConfirmed: defineEvent('billing.charge.confirmed', ChargeChanged),
  chargeReceived: defineEvent('billing.charge.received', ChargeChanged),
  chargeOverdue: defineEvent('billing.charge.overdue', ChargeChanged),
  chargeCancelled: defineEvent('billing.charge.cancelled', ChargeChanged),
  chargeRefunded: defineEvent('billing.charge.refunded', ChargeChanged),
  chargeChargedBack: defineEvent('billing.charge.chargedback', ChargeChanged),
  chargeRestored: defineEvent('billing.charge.restored', ChargeChanged),
};

export const billingEvents = {
  callRated: defineEvent('billing.call.rated', CallRated),
  ...chargeEvents,
  balanceChanged: defineEvent('billing.balance.changed', BalanceChanged),
  creditExhausted: defineEvent('billing.credit.exhausted', CreditExhausted),
  creditLow: defineEvent('billing.credit.low', CreditLow),
};

import type { ChargeStatus } from './charge';

/** What can happen to a charge, caused by the payer, the account, the calendar or the payment provider. */
export type ChargeEvent =
  | 'confirmed'
  | 'received'
  | 'overdue'
  | 'cancelled'
  | 'refunded'
  | 'partially refunded'
  | 'charged back'
  | 'chargeback reversed';

const transitions: Record<ChargeStatus, Partial<Record<ChargeEvent, ChargeStatus>>> = {
  PENDING: {
    confirmed: 'CONFIRMED',
    received: 'RECEIVED',
    overdue: 'OVERDUE',
    cancelled: 'CANCELLED',
    // Reported before the payment itself: a late notification of the payment must not credit it any more.
    refunded: 'REFUNDED',
  },
  OVERDUE: { confirmed: 'CONFIRMED', received: 'RECEIVED', cancelled: 'CANCELLED', refunded: 'REFUNDED' },
  CONFIRMED: { received: 'RECEIVED', refunded: 'REFUNDED' },
  RECEIVED: { refunded: 'REFUNDED' },
  CANCELLED: {},
  REFUNDED: {},
};

/**
 * Undefined if the event is late, repeated or out of order and changes nothing. For events that move part of the money, or move it
 * back, see charge-step.ts.
 */
export function nextStatus(status: ChargeStatus, event: ChargeEvent): ChargeStatus | undefined {
  return transitions[status][event];
}

export const openStatuses: readonly ChargeStatus[] = ['PENDING', 'OVERDUE'];

export const isOpen = (status: ChargeStatus): boolean => openStatuses.includes(status);

/** The credit of the charge has been booked. */
export const isPaid = (status: ChargeStatus): boolean => status === 'CONFIRMED' || status === 'RECEIVED';

/** A payment for a charge that was called off: nothing in the books may change, but an operator has to look at it. */
export function isStrayPayment(status: ChargeStatus, event: ChargeEvent): boolean {
  return status === 'CANCELLED' && (event === 'confirmed' || event === 'received');
}

import { chargeStatuses } from './charge';
import { isOpen, isStrayPayment, nextStatus } from './charge-status';
import type { ChargeEvent } from './charge-status';

const events: ChargeEvent[] = ['confirmed', 'received', 'overdue', 'cancelled', 'refunded'];

test('the whole table', () => {
  const table = Object.fromEntries(
    chargeStatuses.map((status) => [status, events.map((event) => nextStatus(status, event) ?? '-').join(' ')]),
  );
  expect(table).toEqual({
    PENDING: 'CONFIRMED RECEIVED OVERDUE CANCELLED REFUNDED',
    CONFIRMED: '- RECEIVED - - REFUNDED',
    RECEIVED: '- - - - REFUNDED',
    OVERDUE: 'CONFIRMED RECEIVED - CANCELLED REFUNDED',
    CANCELLED: '- - - - -',
    REFUNDED: '- - - - -',
  });
});

test('open is PENDING and OVERDUE', () => {
  expect(chargeStatuses.filter(isOpen)).toEqual(['PENDING', 'OVERDUE']);
});

test('a payment of a cancelled charge is noticed', () => {
  expect(isStrayPayment('CANCELLED', 'received')).toBe(true);
  expect(isStrayPayment('CANCELLED', 'overdue')).toBe(false);
  expect(isStrayPayment('REFUNDED', 'received')).toBe(false);
});

import fc from 'fast-check';
import { chargeStatuses } from './charge';
import type { ChargeStatus } from './charge';
import { creditMove, isOpen, isStrayPayment, nextStatus } from './charge-status';
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

test('in whatever order and however often events come, credit is booked at most once and taken back at most once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events), { maxLength: 20 }), (sequence) => {
      let status: ChargeStatus = 'PENDING';
      let credited = 0;
      let debited = 0;
      for (const event of sequence) {
        const next = nextStatus(status, event);
        if (next !== undefined) {
          const move = creditMove(status, next);
          credited += move === 'credit' ? 1 : 0;
          debited += move === 'debit' ? 1 : 0;
          status = next;
        }
        expect(credited).toBeLessThanOrEqual(1);
        expect(debited).toBeLessThanOrEqual(credited);
      }
      expect(credited - debited).toBe(status === 'CONFIRMED' || status === 'RECEIVED' ? 1 : 0);
    }),
  );
});

test('open is PENDING and OVERDUE', () => {
  expect(chargeStatuses.filter(isOpen)).toEqual(['PENDING', 'OVERDUE']);
});

test('a payment of a cancelled charge is noticed', () => {
  expect(isStrayPayment('CANCELLED', 'received')).toBe(true);
  expect(isStrayPayment('CANCELLED', 'overdue')).toBe(false);
  expect(isStrayPayment('REFUNDED', 'received')).toBe(false);
});

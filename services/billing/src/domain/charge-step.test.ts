import fc from 'fast-check';
import { isPaid } from './charge-status';
import { isUnclear, paidOf, stepOf, takenOf } from './charge-step';
import type { ChargeNews, CreditChange } from './charge-step';

const at = new Date('2026-03-10T12:00:00Z');
type Money = Parameters<typeof paidOf>[0];
const pending: Money = { id: 7, status: 'PENDING', amount: 100_000, refundedAmount: 0 };

/** The charge in the end, and what was booked on the way. */
function tell(...news: ChargeNews[]): { charge: Money; changes: CreditChange[]; credit: number } {
  let charge = pending;
  const changes: CreditChange[] = [];
  for (const one of news) {
    const step = stepOf(charge, one, at);
    charge = step?.charge ?? charge;
    changes.push(...(step?.changes ?? []));
  }
  return { charge, changes, credit: changes.reduce((sum, { amount }) => sum + amount, 0) };
}

const received: ChargeNews = { event: 'received', amount: 100_000 };
const refundedPartly = (refunded: number): ChargeNews => ({ event: 'partially refunded', amount: 100_000, refunded });
const chargedBack: ChargeNews = { event: 'charged back', amount: 100_000 };
const reversed: ChargeNews = { event: 'chargeback reversed', amount: 100_000 };

test('what arrives is what is booked', () => {
  expect(tell({ event: 'received', amount: 1 })).toMatchObject({ credit: 1, charge: { paidAmount: 1 } });
  expect(tell({ event: 'confirmed', amount: 900_000 }, received)).toMatchObject({
    credit: 100_000,
    charge: { status: 'RECEIVED', paidAmount: 100_000 },
  });
});

test('money that moved without a word of how much is unclear', () => {
  expect(isUnclear(pending, { event: 'received' })).toBe(true);
  expect(isUnclear(pending, { event: 'charged back' })).toBe(true);
  expect(isUnclear({ ...pending, status: 'RECEIVED' }, { event: 'partially refunded' })).toBe(true);
  expect(isUnclear(pending, { event: 'overdue' })).toBe(false);
  // Booked already: nothing depends on it.
  expect(isUnclear({ ...pending, status: 'RECEIVED' }, { event: 'received' })).toBe(false);
});

test('parts go back one after the other, and all of it is a refund', () => {
  const half = tell(received, refundedPartly(30_000), refundedPartly(50_000), refundedPartly(30_000));
  expect(half).toMatchObject({ credit: 50_000, charge: { status: 'RECEIVED', refundedAmount: 50_000 } });
  const all = tell(received, refundedPartly(30_000), refundedPartly(100_000));
  expect(all).toMatchObject({ credit: 0, charge: { status: 'REFUNDED', refundedAmount: 100_000 } });
  expect(tell(received, refundedPartly(30_000), { event: 'refunded' })).toMatchObject({ credit: 0 });
});

test('what is heard of before the payment itself implies it', () => {
  expect(tell(refundedPartly(30_000), received)).toMatchObject({ credit: 70_000, charge: { status: 'RECEIVED' } });
  expect(tell(chargedBack, received)).toMatchObject({ credit: 0, charge: { status: 'REFUNDED' } });
});

test('a chargeback takes what refunds have left, and its reversal gives that back, in either order', () => {
  const open = tell(received, refundedPartly(30_000), chargedBack, chargedBack);
  expect(open).toMatchObject({ credit: 0, charge: { status: 'REFUNDED', chargeback: 'open' } });
  expect(takenOf(open.charge)).toBe(100_000);
  const won = tell(received, refundedPartly(30_000), chargedBack, reversed, received, chargedBack);
  expect(won).toMatchObject({ credit: 70_000, charge: { status: 'RECEIVED', chargeback: 'reversed' } });
  expect(tell(received, reversed, chargedBack)).toMatchObject({ credit: 100_000 });
  expect(tell(received, chargedBack, { event: 'refunded' })).toMatchObject({ credit: 0 });
});

test('nothing comes of a cancelled charge', () => {
  const cancelled: ChargeNews = { event: 'cancelled' };
  expect(tell(cancelled, received, refundedPartly(1), chargedBack, reversed)).toMatchObject({
    changes: [],
    charge: { status: 'CANCELLED' },
  });
});

test('a charge that an earlier release has booked went by its amount', () => {
  const old: Money = { ...pending, status: 'RECEIVED', paidAt: at };
  expect(stepOf(old, { event: 'refunded' }, at)?.changes).toMatchObject([{ kind: 'refund', amount: -100_000 }]);
});

test('in whatever order and however often news comes, the books say what the charge says, and nothing is booked twice', () => {
  const news = fc.oneof(
    fc.constantFrom<ChargeNews>(
      { event: 'overdue' },
      { event: 'cancelled' },
      { event: 'refunded' },
      chargedBack,
      reversed,
    ),
    fc.record({
      event: fc.constantFrom('confirmed' as const, 'received' as const),
      amount: fc.integer({ min: 50, max: 99 }),
    }),
    fc.record({
      event: fc.constant('partially refunded' as const),
      amount: fc.constant(99),
      refunded: fc.integer({ min: 1, max: 40 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(news, { maxLength: 25 }), (sequence) => {
      const { charge, changes, credit } = tell(...sequence);
      expect(credit).toBe(isPaid(charge.status) ? paidOf(charge) - takenOf(charge) : 0);
      const references = changes.map(({ kind, reference }) => `${kind} ${reference}`);
      expect(new Set(references).size).toBe(references.length);
    }),
    { numRuns: 2_000 },
  );
});

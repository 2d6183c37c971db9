import fc from 'fast-check';
import { availableOf, grantTime, plentyFor, plentyForAll, settle, warningsAt } from './credit';
import type { Credit } from './credit';
import type { Tariff } from './tariff';

const usual: Tariff = { minutePrice: 1_200, minimumSeconds: 30, incrementSeconds: 6 };
const nothing = { amount: 0, seconds: 0 };

describe('granting time', () => {
  test('the wanted time when there is plenty of credit', () => {
    const credit: Credit = { balance: 24_000, reserved: 0 };
    expect(grantTime(usual, credit, nothing, 60)).toEqual({ amount: 1_200, seconds: 60, exhausted: false });
    expect(plentyFor(usual, 60)).toBe(24_000);
  });

  test('there is plenty for several exactly when each of them finds plenty in its turn', () => {
    const call = fc
      .nat(50)
      .chain((amount) => fc.record({ amount: fc.constant(amount), plenty: fc.nat(100).map((more) => amount + more) }));
    fc.assert(
      fc.property(fc.array(call, { maxLength: 10 }), fc.nat(600), (calls, credit) => {
        let left = credit;
        const inTurn = calls.every(({ amount, plenty }) => {
          const enough = left >= plenty;
          left -= amount;
          return enough;
        });
        expect(credit >= plentyForAll(calls)).toBe(inTurn);
      }),
    );
  });

  test('a share of it when there is not, and at least a step', () => {
    const bySecond: Tariff = { minutePrice: 1_200, minimumSeconds: 1, incrementSeconds: 1 };
    expect(grantTime(bySecond, { balance: 6_000, reserved: 0 }, nothing, 60)).toEqual({
      amount: 300,
      seconds: 15,
      exhausted: false,
    });
    expect(grantTime(usual, { balance: 12_000, reserved: 0 }, nothing, 60)).toMatchObject({ seconds: 30 });
    const held = { amount: 600, seconds: 30 };
    expect(grantTime(usual, { balance: 1_000, reserved: 600 }, held, 90)).toEqual({
      amount: 720,
      seconds: 36,
      exhausted: false,
    });
  });

  test('all that is left when it pays for no further step', () => {
    const credit: Credit = { balance: 919, reserved: 200 };
    expect(grantTime(usual, credit, nothing, 60)).toEqual({ amount: 600, seconds: 30, exhausted: true });
  });

  test('nothing when not even the first step can be paid', () => {
    const credit: Credit = { balance: 599, reserved: 0 };
    expect(grantTime(usual, credit, nothing, 60)).toEqual({ amount: 0, seconds: 0, exhausted: true });
  });

  test('never less than what the call holds', () => {
    const credit: Credit = { balance: 1_200, reserved: 1_200 };
    const held = { amount: 1_200, seconds: 60 };
    expect(grantTime(usual, credit, held, 30)).toEqual({ ...held, exhausted: false });
    expect(grantTime(usual, credit, held, 90)).toEqual({ ...held, exhausted: true });
  });
});

describe('settling', () => {
  test('takes the price and gives back the rest', () => {
    const credit: Credit = { balance: 10_000, reserved: 1_200 };
    expect(settle(usual, credit, { amount: 1_200, seconds: 60 }, 31)).toEqual({
      billedSeconds: 36,
      price: 720,
      uncollected: 0,
      credit: { balance: 9_280, reserved: 0 },
    });
  });

  test('a call that was found late is billed for no more than was reserved for it, however much there is', () => {
    const credit: Credit = { balance: 1_000_000, reserved: 1_200 };
    expect(settle(usual, credit, { amount: 1_200, seconds: 60 }, 3_600)).toEqual({
      billedSeconds: 60,
      price: 1_200,
      uncollected: 70_800,
      credit: { balance: 998_800, reserved: 0 },
    });
  });

  test('a call whose reservation has expired costs what is there, in whole steps', () => {
    const credit: Credit = { balance: 800, reserved: 0 };
    expect(settle(usual, credit, { amount: 0, seconds: 60 }, 61)).toEqual({
      billedSeconds: 36,
      price: 720,
      uncollected: 600,
      credit: { balance: 80, reserved: 0 },
    });
  });

  test('what a call holds is taken also where a refund has taken it away', () => {
    const credit: Credit = { balance: -500, reserved: 1_200 };
    expect(settle(usual, credit, { amount: 1_200, seconds: 60 }, 60)).toMatchObject({
      price: 1_200,
      credit: { balance: -1_700, reserved: 0 },
    });
    expect(settle(usual, credit, { amount: 0, seconds: 60 }, 60)).toMatchObject({ billedSeconds: 0, price: 0 });
  });

  test('nothing reserved, nothing billed', () => {
    expect(settle(usual, { balance: 9_000, reserved: 0 }, nothing, 60)).toMatchObject({ billedSeconds: 0, price: 0 });
  });
});

test('calls that want to talk for ever use up the credit to the last step, and each gets a share', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 40 }), (callCount, eachCanTalk) => {
      const bySecond: Tariff = { minutePrice: 600, minimumSeconds: 1, incrementSeconds: 1 };
      const credit: Credit = { balance: callCount * eachCanTalk * 10, reserved: 0 };
      const calls = Array.from({ length: callCount }, () => ({ amount: 0, seconds: 0, exhausted: false }));
      while (calls.some(({ exhausted }) => !exhausted)) {
        for (const [at, held] of calls.entries()) {
          const grant = grantTime(bySecond, credit, held, held.seconds + 60);
          credit.reserved += grant.amount - held.amount;
          calls[at] = grant;
        }
      }
      expect(availableOf(credit)).toBe(0);
      expect(Math.min(...calls.map(({ seconds }) => seconds))).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('whatever happens in whatever order, credit stays within its bounds', () => {
  const step = fc.record({
    call: fc.nat(5),
    action: fc.constantFrom('extend', 'settle', 'release', 'credit'),
    seconds: fc.nat(600),
  });
  fc.assert(
    fc.property(fc.nat(50_000), fc.nat(5_000), fc.array(step, { maxLength: 60 }), (start, minutePrice, steps) => {
      const tariff = { ...usual, minutePrice };
      let credit: Credit = { balance: start, reserved: 0 };
      let paidIn = start;
      let charged = 0;
      const calls = new Map<number, { amount: number; seconds: number }>();
      for (const { call, action, seconds } of steps) {
        const held = calls.get(call) ?? nothing;
        if (action === 'credit') {
          credit = { ...credit, balance: credit.balance + seconds };
          paidIn += seconds;
        } else if (action === 'extend') {
          const grant = grantTime(tariff, credit, held, seconds);
          credit = { ...credit, reserved: credit.reserved + grant.amount - held.amount };
          calls.set(call, grant);
        } else if (action === 'settle') {
          const settlement = settle(tariff, credit, held, seconds);
          charged += settlement.price;
          credit = settlement.credit;
          calls.delete(call);
        } else {
          credit = { ...credit, reserved: credit.reserved - held.amount };
          calls.delete(call);
        }
        expect(credit.reserved).toBe([...calls.values()].reduce((sum, { amount }) => sum + amount, 0));
        expect(availableOf(credit)).toBeGreaterThanOrEqual(0);
        expect(credit.balance).toBe(paidIn - charged);
      }
    }),
  );
});

test('warnings are raised on the way down and taken back by credit alone', () => {
  const calm = { low: false, exhausted: false };
  expect(warningsAt(999, 1_000, calm, false)).toEqual({ low: true, exhausted: false });
  expect(warningsAt(0, 1_000, calm, false)).toEqual({ low: true, exhausted: true });
  expect(warningsAt(500, 1_000, { low: true, exhausted: true }, false)).toEqual({ low: true, exhausted: true });
  expect(warningsAt(500, 1_000, { low: true, exhausted: true }, true)).toEqual({ low: true, exhausted: false });
  expect(warningsAt(1_000, 1_000, { low: true, exhausted: true }, true)).toEqual(calm);
  expect(warningsAt(10, 1_000, calm, true)).toEqual(calm);
});

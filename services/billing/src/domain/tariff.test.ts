import fc from 'fast-check';
import { affordableSeconds, billedSeconds, firstStep, longestCallSeconds, priceOf } from './tariff';
import type { Tariff } from './tariff';

const usual: Tariff = { minutePrice: 1_200, minimumSeconds: 30, incrementSeconds: 6 };

const tariffs: fc.Arbitrary<Tariff> = fc.record({
  minutePrice: fc.integer({ min: 0, max: 1_000_000 }),
  minimumSeconds: fc.integer({ min: 0, max: 120 }),
  incrementSeconds: fc.integer({ min: 1, max: 60 }),
});

test.each([
  [0, 0],
  [1, 30],
  [30, 30],
  [31, 36],
  [36, 36],
  [37, 42],
  [60, 60],
  [61, 66],
])('%i seconds are billed as %i at 30/6', (duration, billed) => {
  expect(billedSeconds(usual, duration)).toBe(billed);
});

test.each([
  [1_200, 30, 600],
  [1_200, 36, 720],
  [1_001, 30, 501],
  [1, 29, 0],
  [1, 30, 1],
  [0, 3600, 0],
])('%i a minute for %i s costs %i', (minutePrice, seconds, price) => {
  expect(priceOf({ ...usual, minutePrice }, seconds)).toBe(price);
});

test('billing never takes less than was talked, and at most one step more', () => {
  fc.assert(
    fc.property(tariffs, fc.integer({ min: 1, max: 100_000 }), (tariff, duration) => {
      const billed = billedSeconds(tariff, duration);
      expect(billed).toBeGreaterThanOrEqual(duration);
      expect(billed - duration).toBeLessThan(Math.max(firstStep(tariff), tariff.incrementSeconds));
    }),
  );
});

test('what is affordable is paid by the credit, and the next step is not', () => {
  fc.assert(
    fc.property(tariffs, fc.integer({ min: 0, max: 100_000_000 }), (tariff, credit) => {
      const seconds = affordableSeconds(tariff, credit);
      expect(priceOf(tariff, seconds)).toBeLessThanOrEqual(credit);
      const next = seconds === 0 ? firstStep(tariff) : seconds + tariff.incrementSeconds;
      expect(priceOf(tariff, next) > credit || next > longestCallSeconds).toBe(true);
      expect(billedSeconds(tariff, seconds)).toBe(seconds);
    }),
  );
});

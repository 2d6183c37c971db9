import fc from 'fast-check';
import { fromDecimal, toCents, toDecimal } from './money';

const amounts = fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 });

test('text and units are the same amount', () => {
  fc.assert(fc.property(amounts, (units) => fromDecimal(toDecimal(units)) === units));
});

test.each([
  ['0', 0],
  ['-0.0000', 0],
  ['12', 120_000],
  ['12.3', 123_000],
  ['0.0001', 1],
  ['-1.5000', -15_000],
  ['5.00000000', 50_000],
])('%s is %i units', (text, units) => {
  expect(fromDecimal(text)).toBe(units);
});

test.each(['', '1.', '.5', '1,5', '1.00001', '1e3', 'NaN', '99999999999999999', '--1', ' 1'])(
  '%j is no money',
  (text) => {
    expect(() => fromDecimal(text)).toThrow(RangeError);
  },
);

test('cents are exact or refused', () => {
  expect(toCents(50_100)).toBe('5.01');
  expect(() => toCents(50_101)).toThrow(RangeError);
  expect(() => toDecimal(0.5)).toThrow(RangeError);
});

import { checkCharge } from './charge-rules';
import type { ChargeWish } from './charge-rules';

// Ten in the evening of 9 March in São Paulo; already the 10th in Greenwich.
const lateEvening = new Date('2026-03-10T01:00:00Z');
const good: ChargeWish = { paymentMethod: 'PIX', dueDate: '2026-03-12', amount: 100_000, description: 'Credit' };

function codes(wish: Partial<ChargeWish>, now = lateEvening): string[] {
  const result = checkCharge({ ...good, ...wish }, now);
  return 'charge' in result ? [] : result.violations.map(({ field, code }) => `${field}:${code}`);
}

test('a good charge passes as it is', () => {
  expect(checkCharge(good, lateEvening)).toEqual({ charge: { ...good, metadata: '{}' } });
});

test('what may be left out', () => {
  expect(checkCharge({ dueDate: '2026-03-12', amount: 100_000 }, lateEvening)).toEqual({
    charge: { paymentMethod: 'UNDEFINED', dueDate: '2026-03-12', amount: 100_000, description: '', metadata: '{}' },
  });
});

test.each([
  ['5.00', 50_000, ['amount:range']],
  ['5.01', 50_100, []],
  ['5.001', 50_010, ['amount:format']],
  ['49999.99', 499_999_900, []],
  ['50000', 500_000_000, ['amount:range']],
  ['1e9', 10_000_000_000_000, ['amount:range']],
  ['-10', -100_000, ['amount:range']],
  ['0', 0, ['amount:range']],
  ['nothing', undefined, ['amount:presence']],
])('amount %s', (_name, amount, expected) => {
  expect(codes({ amount })).toEqual(expected);
});

test.each([
  ['yesterday', '2026-03-08', ['dueDate:range']],
  ['today', '2026-03-09', ['dueDate:range']],
  ['tomorrow', '2026-03-10', []],
  ['in 7 days', '2026-03-16', []],
  ['in 8 days', '2026-03-17', ['dueDate:range']],
  ['no such day', '2026-02-30', ['dueDate:format']],
  ['another format', '12/03/2026', ['dueDate:format']],
  ['a timestamp', '2026-03-12T00:00:00Z', ['dueDate:format']],
  ['empty', '', ['dueDate:presence']],
  ['absent', undefined, ['dueDate:presence']],
])('due date %s', (_name, dueDate, expected) => {
  expect(codes({ dueDate })).toEqual(expected);
});

test('today changes at midnight in São Paulo', () => {
  const lastMoment = new Date('2026-03-10T02:59:59.999Z');
  const firstMoment = new Date('2026-03-10T03:00:00.000Z');
  expect(codes({ dueDate: '2026-03-10' }, lastMoment)).toEqual([]);
  expect(codes({ dueDate: '2026-03-10' }, firstMoment)).toEqual(['dueDate:range']);
  expect(codes({ dueDate: '2026-03-17' }, lastMoment)).toEqual(['dueDate:range']);
  expect(codes({ dueDate: '2026-03-17' }, firstMoment)).toEqual([]);
});

test('every offending field is named', () => {
  expect(
    codes({ paymentMethod: 'CASH', dueDate: 'x', amount: 1, description: 'x'.repeat(501), metadata: '[]' }),
  ).toEqual(['paymentMethod:inclusion', 'dueDate:format', 'amount:range', 'description:length', 'metadata:type']);
  expect(codes({ description: 'a\0b', metadata: '{"a":"\\u0000"}' })).toEqual([
    'description:format',
    'metadata:format',
  ]);
  expect(codes({ metadata: JSON.stringify({ a: 'x'.repeat(16_384) }) })).toEqual(['metadata:length']);
});

import { checkColumns, parseRate } from './rate-csv';

test('a full line', () => {
  expect(
    parseRate({
      prefix: '+5511',
      description: ' São Paulo ',
      minute_price: '0.0550',
      minimum_seconds: '60',
      increment_seconds: '1',
      valid_from: '2026-01-01',
      valid_to: '2026-06-30T12:00:00Z',
    }),
  ).toEqual({
    rate: {
      prefix: '5511',
      description: 'São Paulo',
      minutePrice: 550,
      minimumSeconds: 60,
      incrementSeconds: 1,
      validFrom: new Date('2026-01-01T03:00:00Z'),
      validTo: new Date('2026-06-30T12:00:00Z'),
    },
  });
});

test('the least a line needs; a comma as the decimal point', () => {
  expect(parseRate({ prefix: '1', minute_price: '0,12' })).toEqual({
    rate: {
      prefix: '1',
      description: '',
      minutePrice: 1_200,
      minimumSeconds: 30,
      incrementSeconds: 6,
      validFrom: undefined,
      validTo: undefined,
    },
  });
});

test.each([
  [{}, ['prefix is empty', 'minute_price is empty']],
  [{ prefix: '055', minute_price: '1' }, ['prefix must be 1 to 15 digits, the first of them not 0']],
  [{ prefix: '55', minute_price: '0.00001' }, ['minute_price must be a decimal of at most 4 places, from 0 to 1000']],
  [{ prefix: '55', minute_price: '-1' }, ['minute_price must be a decimal of at most 4 places, from 0 to 1000']],
  [{ prefix: '55', minute_price: '1000.01' }, ['minute_price must be a decimal of at most 4 places, from 0 to 1000']],
  [
    { prefix: '55', minute_price: '1', increment_seconds: '0' },
    ['increment_seconds must be a whole number from 1 to 3600'],
  ],
  [
    { prefix: '55', minute_price: '1', valid_from: '2026-02-30' },
    ['valid_from must be a date or an ISO 8601 time with its zone'],
  ],
  [
    { prefix: '55', minute_price: '1', valid_from: '2026-02-02', valid_to: '2026-02-02' },
    ['valid_to must be after valid_from'],
  ],
])('%j', (row, problems) => {
  expect(parseRate(row)).toEqual({ problems });
});

test('columns', () => {
  expect(checkColumns(['Prefix', 'minute_price'])).toEqual([]);
  expect(checkColumns(['prefix', 'price', 'prefix'])).toEqual([
    'column minute_price is missing',
    expect.stringMatching(/^column "price" is not known/),
    'column prefix stands twice',
  ]);
});

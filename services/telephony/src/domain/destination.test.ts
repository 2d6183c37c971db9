import { normalizeDestination } from './destination';

test.each([
  ['+55 11 5550-0101', '551155500101'],
  ['551155500101', '551155500101'],
  ['5511988887777', '5511988887777'],
  ['(11) 98888-7777', '5511988887777'],
  ['011 98888 7777', '5511988887777'],
  ['11988887777', '5511988887777'],
  ['+1 212 555 2368', '12125552368'],
  ['12125552368', '12125552368'],
])('%s is %s', (text, digits) => {
  expect(normalizeDestination(text, 'BR')).toBe(digits);
});

test.each(['', '123', '+55', 'phone', '55119', '1001', '+55 11 98888-7777 ext. 5', '+999123456789'])(
  '"%s" is no number',
  (text) => {
    expect(normalizeDestination(text, 'BR')).toBeUndefined();
  },
);

test('another country reads its own national numbers', () => {
  expect(normalizeDestination('(212) 555-2368', 'US')).toBe('12125552368');
});

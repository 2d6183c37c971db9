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
  // A mobile number from before the ninth digit.
  ['11 8765-4321', '551187654321'],
  ['+55 11 8765-4321', '551187654321'],
])('%s is %s', (text, digits) => {
  expect(normalizeDestination(text, { country: 'BR' })).toBe(digits);
});

test.each(['', '123', '00000000000', '+55', 'phone', '55119', '1001', '+55 11 98888-7777 ext. 5', '+999123456789'])(
  '"%s" is no number',
  (text) => {
    expect(normalizeDestination(text, { country: 'BR' })).toBeUndefined();
  },
);

test.each([
  ['3333-4444', '551933334444'],
  ['98765-4321', '5519987654321'],
  ['8765-4321', '551987654321'],
  ['11 3333-4444', '551133334444'],
  // A number of the whole country has no area code.
  ['4004-2222', '5540042222'],
])('%s of an account with area code 19 is %s', (text, digits) => {
  expect(normalizeDestination(text, { country: 'BR', areaCode: '19' })).toBe(digits);
});

test.each(['3333-4444', '98765-4321'])('%s cannot be dialled without an area code', (text) => {
  expect(normalizeDestination(text, { country: 'BR' })).toBeUndefined();
});

test('another country reads its own national numbers', () => {
  expect(normalizeDestination('(212) 555-2368', { country: 'US' })).toBe('12125552368');
});

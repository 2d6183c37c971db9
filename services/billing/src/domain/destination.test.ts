import { destinationDigits } from './destination';

test.each([
  ['+55 (11) 3003-3030', '551130033030'],
  ['551130033030', '551130033030'],
  ['1130033030', '551130033030'],
  ['011 3003-3030', '551130033030'],
  ['11 98765-4321', '5511987654321'],
  ['+351 210 000 000', '351210000000'],
  ['351210000000', '351210000000'],
  ['5511', '5511'],
  ['55119', '55119'],
  ['1', '1'],
])('%s is %s', (text, digits) => {
  expect(destinationDigits(text, 'BR')).toBe(digits);
});

test.each(['', 'abc', '+', '+55a', '1234567890123456', '000', '٣٤٥'])('%j is no destination', (text) => {
  expect(destinationDigits(text, 'BR')).toBeUndefined();
});

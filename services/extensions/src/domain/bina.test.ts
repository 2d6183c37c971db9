import { checkBina, normalizePhone } from './bina';
import { Violations } from '@sabia/service-kit/validation/violations';

test.each([
  ['+55 11 4002-8922', '551140028922'],
  ['551140028922', '551140028922'],
  ['(11) 4002-8922', '551140028922'],
  ['01140028922', '551140028922'],
  ['11 99999-8888', '5511999998888'],
  ['0800 729 0001', '558007290001'],
  ['+1 (212) 555-2368', '12125552368'],
  ['12125552368', '12125552368'],
])('%s is %s', (text, digits) => {
  expect(normalizePhone(text, 'BR')).toBe(digits);
});

test.each(['123', 'abc', '+', '00', '+5511', '9'.repeat(40), '11 4002-8922 ext. 12', '\u0000'])(
  '%j is no number',
  (text) => {
    expect(normalizePhone(text, 'BR')).toBeUndefined();
  },
);

test('is optional', () => {
  const violations = new Violations();
  expect(checkBina(violations, '  ', 'BR')).toEqual({ bina: null, binaAsSent: null });
  expect(violations.any).toBe(false);
});

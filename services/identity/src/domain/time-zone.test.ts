import { Violations } from '@sabia/service-kit/validation/violations';
import { checkTimeZone } from './time-zone';

test.each([
  ['America/Manaus', 'America/Manaus'],
  [' america/sao_paulo ', 'America/Sao_Paulo'],
  ['UTC', 'UTC'],
  ['America/Argentina/Salta', 'America/Argentina/Salta'],
])('%s is %s', (value, zone) => {
  const violations = new Violations();
  expect(checkTimeZone(violations, value)).toBe(zone);
  expect(violations.any).toBe(false);
});

test.each(['', '-03:00', 'BRT', 'Mars/Olympus', 'America/Sao_Paulo; DROP'])('%j is refused', (value) => {
  const violations = new Violations();
  checkTimeZone(violations, value);
  expect(violations.has('timeZone')).toBe(true);
});

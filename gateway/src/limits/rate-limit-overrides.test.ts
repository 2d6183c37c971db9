import { overridesVariable } from './rate-limit-overrides';

describe('RATE_LIMIT_OVERRIDES', () => {
  it.each([
    ['{', 'expected a JSON object'],
    ['[]', 'expected a JSON object'],
    ['{"adresses":[]}', 'unknown adresses; there are addresses, accounts'],
    ['{"addresses":[{"cidr":"10.0.0","limits":{}}]}', 'addresses[0].cidr: expected an address or a CIDR range'],
    [
      '{"addresses":[{"cidr":"10.0.0.1","limits":{"others":7}}]}',
      'addresses[0].limits: unknown others; there are PLACE',
    ],
    [
      '{"addresses":[{"cidr":"10.0.0.1","limits":{"OTHER":0}}]}',
      'addresses[0].limits.OTHER: expected a whole number from 1',
    ],
    ['{"accounts":[{"account":"a b","limits":{"OTHER":"7"}}]}', 'accounts[0].account: expected the domain or the uuid'],
    ['{"accounts":[{"account":"a","limits":{"OTHER":"7"}}]}', 'accounts[0].limits.OTHER: expected a whole number'],
  ])('%s is refused with its place', (text, message) => {
    const { error } = overridesVariable.safeParse(text);
    expect(error?.issues.map((issue) => issue.message).join('; ')).toContain(message);
  });
});

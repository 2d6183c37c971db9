import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { createRaisedLimits, overridesVariable } from './rate-limit-overrides';

const uuid = '7a4e1c5e-9a61-4c0b-8f3e-0d7f6f1f2a3b';

describe('RATE_LIMIT_OVERRIDES', () => {
  it('names addresses and accounts with the classes they have other numbers for', () => {
    const raised = createRaisedLimits(
      overridesVariable.parse(
        JSON.stringify({
          addresses: [
            { cidr: '203.0.113.7', limits: { OTHER: 1000 } },
            { cidr: '203.0.113.0/24', limits: { OTHER: 600, LOGIN: 60 } },
            { cidr: '2001:db8::/32', limits: { OTHER: 300 } },
          ],
          accounts: [
            { account: uuid.toUpperCase(), limits: { OTHER: 3000 } },
            { account: 'Acme.sabia.localhost', limits: { LIST_CALLS: 120 } },
          ],
        }),
      ),
    );
    expect(raised.ofAddress('203.0.113.7', 'OTHER')).toBe(1000);
    expect(raised.ofAddress('203.0.113.7', 'LOGIN')).toBe(60);
    expect(raised.ofAddress('203.0.113.8', 'OTHER')).toBe(600);
    expect(raised.ofAddress('203.0.114.8', 'OTHER')).toBeUndefined();
    expect(raised.ofAddress('2001:db8::1', 'OTHER')).toBe(300);
    const byUuid = Caller.fromPartial({ accountUuid: uuid, domain: 'other.sabia.localhost' });
    const byDomain = Caller.fromPartial({ accountUuid: 'x', domain: 'acme.sabia.localhost' });
    expect(raised.ofAccount(byUuid, 'OTHER')).toBe(3000);
    expect(raised.ofAccount(byUuid, 'LIST_CALLS')).toBeUndefined();
    expect(raised.ofAccount(byDomain, 'LIST_CALLS')).toBe(120);
    expect(raised.ofAccount(undefined, 'OTHER')).toBeUndefined();
    expect([raised.hasAccounts('OTHER'), raised.hasAccounts('HANGUP')]).toEqual([true, false]);
  });

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

import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { countedAddress, createRaisedLimits } from './allowance';
import { overridesVariable } from './rate-limit-overrides';

const uuid = '7a4e1c5e-9a61-4c0b-8f3e-0d7f6f1f2a3b';

describe('limits granted by RATE_LIMIT_OVERRIDES', () => {
  it('are found by address and by account, in the classes that they name', () => {
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
});

describe('the address that is counted', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ])('%s counts as %s', (ip, expected) => {
    expect(countedAddress(ip)).toBe(expected);
  });
});

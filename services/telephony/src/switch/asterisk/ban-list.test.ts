import { BanList, type BanRules } from './ban-list';

const rules: BanRules = {
  failures: 3,
  windowMs: 60_000,
  banMs: 600_000,
  mostBans: 2,
  spared: ['127.0.0.1', '10.0.0.0/8'],
};
const attacker = '192.0.2.7';

function failTimes(list: BanList, address: string, times: number, now = 0): boolean[] {
  return Array.from({ length: times }, () => list.fail(address, now));
}

test('bans a source at its last allowed failure and tells so once', () => {
  const list = new BanList(rules);
  expect(failTimes(list, attacker, 5)).toEqual([false, false, true, false, false]);
  expect(list.banned).toEqual([attacker]);
});

test('failures far apart are those of a person who mistypes', () => {
  const list = new BanList(rules);
  expect([0, 40_000, 80_000, 120_000, 160_000].map((now) => list.fail(attacker, now))).not.toContain(true);
});

test('a ban ends by itself, and the count begins anew', () => {
  const list = new BanList(rules);
  failTimes(list, attacker, 3);
  expect(list.nextExpiry).toBe(600_000);
  expect(list.expire(599_999)).toBe(false);
  expect(list.expire(600_000)).toBe(true);
  expect(list.banned).toEqual([]);
  expect(failTimes(list, attacker, 3, 600_001)).toEqual([false, false, true]);
});

test.each(['127.0.0.1', '10.200.3.4', 'not-an-address'])('never bans %s', (address) => {
  const list = new BanList(rules);
  expect(failTimes(list, address, 10)).not.toContain(true);
});

test('knows no more bans than it may, and forgets the oldest first', () => {
  const list = new BanList(rules);
  for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::3']) failTimes(list, address, 3);
  expect(list.banned).toEqual(['192.0.2.2', '2001:db8::3']);
});

test('refuses a network that is none', () => {
  expect(() => new BanList({ ...rules, spared: ['office'] })).toThrow(
    '"office" is neither an IP address nor a network',
  );
});

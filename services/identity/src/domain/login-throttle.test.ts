import { throttleKeys } from './login-throttle';

const policy = { failuresPerEmail: 10, failuresPerIp: 100, windowSeconds: 900 };
const keyOf = (ip: string) => throttleKeys(policy, 'ana@example.com', ip)[1]!.key.toString('hex');

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:9'],
  ['2001:db8::1', '2001:db8:0:0:1::'],
  ['fe80::1%eth0', 'fe80::2'],
  ['::1', '::2'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
])('%s and %s are counted as one', (one, other) => {
  expect(keyOf(one)).toBe(keyOf(other));
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['2001:db8::1', '2001:db8:0:1::1'],
  ['192.0.2.1', '192.0.2.2'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
])('%s and %s are not', (one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});

test('what is no address is counted all the same', () => {
  expect(keyOf('1:2:3:4:5:6::7:8:9')).not.toBe(keyOf('unknown'));
});

import type { IncomingMessage } from 'node:http';
import { countedAddress, createClientIp } from './client-ip';

const request = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    connection: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the address of the client', () => {
  const clientIp = createClientIp(['loopback', '10.0.0.0/8']);

  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::1', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.3.4', '198.51.100.1'],
    ['127.0.0.1', 'unknown', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', "'; DROP TABLE", '127.0.0.1'],
    ['127.0.0.1', '2001:db8::1', '2001:db8::1'],
    [undefined, '198.51.100.1', '0.0.0.0'],
  ])('%s saying %s is %s', (direct, forwarded, expected) => {
    expect(clientIp(request(direct, forwarded))).toBe(expected);
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

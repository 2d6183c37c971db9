import type { IncomingMessage } from 'node:http';
import { createClientIp, requestIdOf } from './request-context';

const idOf = (given?: string): string =>
  requestIdOf({ headers: { 'x-request-id': given } } as unknown as IncomingMessage);
const uuid = /^[0-9a-f-]{36}$/;

describe('the request id', () => {
  it.each(['a', 'req-1.2:3/4=5@6', 'x'.repeat(128)])('takes over %.20s', (given) => {
    expect(idOf(given)).toBe(given);
  });

  it.each([undefined, '', 'x'.repeat(129), 'a b', 'a"b', 'a\nb', 'é', '<script>'])('replaces %j', (given) => {
    expect(idOf(given)).toMatch(uuid);
  });
});

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

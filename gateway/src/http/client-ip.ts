import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

export type ClientIp = (request: IncomingMessage) => string;

/** Believes X-Forwarded-For only as far back as trusted proxies wrote it. */
export function createClientIp(trustedProxies: readonly string[]): ClientIp {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const direct = request.socket.remoteAddress;
    // A connection that the client has reset has lost its address.
    if (direct === undefined || request.headers['x-forwarded-for'] === undefined) {
      return unmapped(direct ?? '0.0.0.0');
    }
    const claimed = unmapped(proxyAddr(request, trusts));
    return isIP(claimed) === 0 ? unmapped(direct) : claimed;
  };
}

/** On a dual-stack socket an IPv4 address arrives as ::ffff:a.b.c.d. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** IPv6 is counted by /64: one subscriber has a whole /64, so counting single addresses would limit nothing. */
export function countedAddress(ip: string): string {
  if (isIP(ip) !== 6) {
    return ip;
  }
  const [head = '', tail] = ip.split('%', 1)[0]!.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const embedded = after.at(-1)?.includes('.') || before.at(-1)?.includes('.') ? 1 : 0;
  const zeros = Math.max(0, 8 - before.length - after.length - embedded);
  const groups = [...before, ...Array<string>(tail === undefined ? 0 : zeros).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

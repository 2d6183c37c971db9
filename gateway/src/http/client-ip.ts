import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

export type ClientIp = (request: IncomingMessage) => string;

/** X-Forwarded-For counts only as far back as it was written by proxies that we trust. */
export function createClientIp(trustedProxies: readonly string[]): ClientIp {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const direct = request.socket.remoteAddress;
    // A connection that the client has reset has no address any more.
    if (direct === undefined || request.headers['x-forwarded-for'] === undefined) {
      return unmapped(direct ?? '0.0.0.0');
    }
    const claimed = unmapped(proxyAddr(request, trusts));
    return isIP(claimed) === 0 ? unmapped(direct) : claimed;
  };
}

/** An IPv4 client on a dual-stack socket is the same client. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** One household holds a whole IPv6 /64: counting single addresses would be no limit at all. */
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

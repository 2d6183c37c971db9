import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from '../domain/public-address';
import { createHostLookup, sharing } from './host-lookup';
import type { Lookup } from './host-lookup';

export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'BLOCKED_ADDRESS';

  /** The message is shown to the tenant: it names the host as configured, never an address that the host resolved to. */
  constructor(host: string) {
    super(isIP(host) === 0 ? `${host} does not resolve to public addresses only` : `${host} is not a public address`);
  }
}

export interface ConnectorOptions {
  allowPrivate: boolean;
  timeoutMs: number;
  lookup?: Lookup;
  /** Certificate authorities to trust instead of those that Node knows. */
  ca?: string;
}

/**
 * Checks the address that is about to be connected to, not an earlier answer of the DNS: a name that resolves to another
 * address a moment later does not get past it.
 */
export function createGuardedConnector({
  allowPrivate,
  timeoutMs,
  lookup = createHostLookup(),
  ca,
}: ConnectorOptions): buildConnector.connector {
  const shared = sharing(lookup);
  const guardedLookup: Lookup = (hostname, options, callback) => {
    shared(hostname, { ...options, all: true }, (error, answer) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const addresses = answer as LookupAddress[];
      const blocked = !allowPrivate && !addresses.every(({ address }) => isPublicAddress(address));
      const [first] = addresses;
      if (blocked) {
        callback(new BlockedAddressError(hostname), []);
      } else if (options.all === true || first === undefined) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: true,
    lookup: guardedLookup,
    ...(ca === undefined ? {} : { ca }),
  });

  return (options, callback) => {
    // Node makes no lookup for a literal address.
    const literal = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (!allowPrivate && isIP(literal) !== 0 && !isPublicAddress(literal)) {
      callback(new BlockedAddressError(literal), null);
      return;
    }
    connect(options, (...result) => {
      const [, socket] = result;
      // Decisive is the address that the socket is really connected to.
      const remote = socket?.remoteAddress;
      if (!allowPrivate && socket && remote !== undefined && !isPublicAddress(remote)) {
        socket.destroy();
        callback(new BlockedAddressError(options.hostname), null);
        return;
      }
      callback(...result);
    });
  };
}

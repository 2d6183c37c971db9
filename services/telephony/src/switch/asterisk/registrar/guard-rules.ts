import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FailureLimit } from './failure-counts';

export interface GuardRules {
  /** For one address, over all extensions. */
  address: FailureLimit;
  /** For one extension, over all addresses. */
  extension: FailureLimit;
  banMs: number;
  lockMs: number;
  /** If there are more bans, those that end first are lifted early. */
  mostBans: number;
  /**
   * Addresses and networks (192.0.2.0/24) that are never banned, and may use a locked extension: gateways, which limit each web
   * phone by its own address, and proxies with many phones behind one address.
   */
  spared: readonly string[];
}

export const defaultGuardRules: GuardRules = {
  address: { failures: 20, windowMs: 60_000 },
  // More than the failures that ban an address: guessing from a single address locks no extension.
  extension: { failures: 50, windowMs: 600_000 },
  banMs: 600_000,
  lockMs: 600_000,
  mostBans: 1_000,
  // The built-in carrier, the gateway's web phones and local users come from loopback.
  spared: ['127.0.0.1', '::1'],
};

export type IsSpared = (address: string) => boolean;

/** Anything but an IP address counts as spared, as it cannot be banned. Throws for an entry that is neither address nor network. */
export function createSpared(entries: readonly string[]): IsSpared {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (!family) throw new Error(`"${entry}" is neither an IP address nor a network`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const family = familyOf(address);
    return family === undefined || list.check(address, family);
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
}

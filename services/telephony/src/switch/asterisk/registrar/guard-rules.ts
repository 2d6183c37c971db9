import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FailureLimit } from './failure-counts';

export interface GuardRules {
  /** Of one address, over all extensions. */
  address: FailureLimit;
  /** Of one extension, over all addresses. */
  extension: FailureLimit;
  banMs: number;
  lockMs: number;
  /** More bans than these are not kept: those that end first end early. */
  mostBans: number;
  /**
   * Addresses and networks (192.0.2.0/24) that are never banned, nor kept from a locked extension: gateways, which limit each of
   * their web phones by its own address, and whatever else brings many phones under one address.
   */
  spared: readonly string[];
}

export const defaultGuardRules: GuardRules = {
  address: { failures: 20, windowMs: 60_000 },
  // More than one address may fail before it is banned: somebody who guesses from a single one locks nobody out.
  extension: { failures: 50, windowMs: 600_000 },
  banMs: 600_000,
  lockMs: 600_000,
  mostBans: 1_000,
  // Behind loopback are the built-in carrier, the gateway's web phones and the person at this machine.
  spared: ['127.0.0.1', '::1'],
};

export type IsSpared = (address: string) => boolean;

/** What is no IP address counts as spared: it could not be banned. Throws for an entry that is neither address nor network. */
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

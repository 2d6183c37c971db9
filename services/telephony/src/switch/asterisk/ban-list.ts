import { BlockList, isIPv4, isIPv6 } from 'node:net';

export interface BanRules {
  /** So many failures of one source … */
  failures: number;
  /** … within this time … */
  windowMs: number;
  /** … ban it for so long. */
  banMs: number;
  /** More than these are not kept: the oldest ban ends early. */
  mostBans: number;
  /** Addresses and networks (192.0.2.0/24) that are never banned: proxies, carriers, offices. */
  spared: readonly string[];
}

export const defaultBanRules: BanRules = {
  failures: 20,
  windowMs: 60_000,
  banMs: 600_000,
  mostBans: 1_000,
  // Behind loopback are the built-in carrier, the gateway's web phones and the person at this machine.
  spared: ['127.0.0.1', '::1'],
};

/** Sources under watch at once; an attacker with endless addresses must not fill the memory. */
const MOST_WATCHED = 10_000;

/** Who has failed how often, and who is banned until when. Knows no clock and no Asterisk. */
export class BanList {
  private readonly failures = new Map<string, number[]>();
  private readonly bans = new Map<string, number>();
  private readonly spared = new BlockList();

  constructor(private readonly rules: BanRules = defaultBanRules) {
    for (const entry of rules.spared) addTo(this.spared, entry);
  }

  /** Counts a failure. True: this was one too many, the source is banned from now on. */
  fail(address: string, now: number): boolean {
    const family = familyOf(address);
    if (!family || this.bans.has(address) || this.spared.check(address, family)) return false;
    const { failures, windowMs, banMs, mostBans } = this.rules;
    const recent = [...(this.failures.get(address) ?? []).filter((at) => at > now - windowMs), now];
    this.failures.delete(address);
    if (recent.length < failures) {
      this.failures.set(address, recent);
      evict(this.failures, MOST_WATCHED);
      return false;
    }
    this.bans.set(address, now + banMs);
    evict(this.bans, mostBans);
    return true;
  }

  /** Ends the bans whose time is over. True: there were some. */
  expire(now: number): boolean {
    const over = [...this.bans].filter(([, until]) => until <= now);
    for (const [address] of over) this.bans.delete(address);
    return over.length > 0;
  }

  get banned(): string[] {
    return [...this.bans.keys()];
  }

  /** When the next ban ends. */
  get nextExpiry(): number | undefined {
    return this.bans.size > 0 ? Math.min(...this.bans.values()) : undefined;
  }
}

/** A Map remembers the order of insertion: the first is the oldest. */
function evict(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
}

function addTo(list: BlockList, entry: string): void {
  const [address = '', prefix] = entry.split('/');
  const family = familyOf(address);
  if (!family) throw new Error(`"${entry}" is neither an IP address nor a network`);
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(prefix), family);
}

import { isIP } from 'node:net';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import proxyAddr from 'proxy-addr';
import { rateLimitClasses } from '../contract/rate-limit-classes';
import type { RateLimitClass } from '../contract/rate-limit-classes';
import type { Exchange } from '../http/exchange';
import type { RateLimitOverrides } from './rate-limit-overrides';

export type Limits = Readonly<Record<RateLimitClass, number>>;

/** The key that a request is counted under, and how many requests a minute are allowed there. */
export interface Allowance {
  name: RateLimitClass;
  key: string;
  limit: number;
}

export interface Allowances {
  /** Whether the address alone decides, so that a request can be counted before identity is asked about its token. */
  isByAddress(name: RateLimitClass): boolean;
  ofAddress(exchange: Exchange, name: RateLimitClass): Allowance;
  /** Without a caller, because the token is missing or not live, the address counts. */
  of(exchange: Exchange, name: RateLimitClass, caller: Caller | undefined): Promise<Allowance>;
}

/** The limit of an account wins over the limit of an address, and both win over the published one. */
export function createAllowances(limits: Limits, overrides: RateLimitOverrides): Allowances {
  const raised = createRaisedLimits(overrides);
  const limitOf = (exchange: Exchange, name: RateLimitClass): number =>
    raised.ofAddress(exchange.clientIp, name) ?? limits[name];

  return {
    isByAddress: (name) => rateLimitClasses[name].by === 'ip' && !raised.hasAccounts(name),

    ofAddress: (exchange, name) => ({ name, key: addressKey(exchange), limit: limitOf(exchange, name) }),

    async of(exchange, name, caller) {
      const ofAccount = raised.ofAccount(caller, name);
      const limit = ofAccount ?? limitOf(exchange, name);
      switch (rateLimitClasses[name].by) {
        case 'ip':
          return { name, key: ofAccount === undefined ? addressKey(exchange) : `account:${caller!.accountId}`, limit };
        case 'user':
          return { name, key: userKey(exchange, caller), limit };
        case 'user+extension':
          return { name, key: await userAndExtensionKey(exchange, caller), limit };
      }
    },
  };
}

export interface RaisedLimits {
  ofAddress(ip: string, name: RateLimitClass): number | undefined;
  ofAccount(caller: Caller | undefined, name: RateLimitClass): number | undefined;
  /** Whether any account has its own limit in this class. */
  hasAccounts(name: RateLimitClass): boolean;
}

export function createRaisedLimits({ addresses, accounts }: RateLimitOverrides): RaisedLimits {
  const ranges = addresses.map(({ cidr, limits }) => ({ contains: proxyAddr.compile(cidr), limits }));
  const byAccount = new Map(accounts.map(({ account, limits }) => [account.toLowerCase(), limits]));
  return {
    ofAddress: (ip, name) =>
      ranges.find(({ contains, limits }) => limits[name] !== undefined && contains(ip, 0))?.limits[name],
    ofAccount: (caller, name) =>
      caller && (byAccount.get(caller.accountUuid)?.[name] ?? byAccount.get(caller.domain)?.[name]),
    hasAccounts: (name) => accounts.some(({ limits }) => limits[name] !== undefined),
  };
}

export function addressKey({ clientIp }: Exchange): string {
  return `ip:${countedAddress(clientIp)}`;
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

function userKey(exchange: Exchange, caller: Caller | undefined): string {
  return caller === undefined ? addressKey(exchange) : `user:${caller.userId}`;
}

/** Reads the extension from the body before the rest of it is validated; 1000 and "1000" are the same. */
async function userAndExtensionKey(exchange: Exchange, caller: Caller | undefined): Promise<string> {
  const user = userKey(exchange, caller);
  if (caller === undefined) {
    return user;
  }
  try {
    const { values } = await exchange.body();
    const extension = Object.hasOwn(values, 'extension') ? values['extension'] : undefined;
    const isText = typeof extension === 'string' || typeof extension === 'number';
    return isText ? `${user}:${String(extension).trim().slice(0, 64)}` : user;
  } catch {
    // An unreadable body is refused later on; here it only means that no extension is known.
    return user;
  }
}

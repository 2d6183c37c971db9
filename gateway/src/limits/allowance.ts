import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { rateLimitClasses } from '../contract/rate-limit-classes';
import type { RateLimitClass } from '../contract/rate-limit-classes';
import { countedAddress } from '../http/client-ip';
import type { Exchange } from '../http/exchange';
import type { RaisedLimits } from './rate-limit-overrides';

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
export function createAllowances(limits: Limits, raised: RaisedLimits): Allowances {
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

export function addressKey({ clientIp }: Exchange): string {
  return `ip:${countedAddress(clientIp)}`;
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

import type { Exchange } from '../http/exchange';
import { rateLimitClasses } from '../contract/rate-limit-classes';
import type { RateLimitClass } from '../contract/rate-limit-classes';
import { addressKey, userAndExtensionKey, userKey } from './rate-limit-key';
import type { RaisedLimits } from './rate-limit-overrides';
import type { Session } from '../access/token-cache';

export type Limits = Readonly<Record<RateLimitClass, number>>;

/** What a request counts under, and how many a minute are allowed there. */
export interface Allowance {
  name: RateLimitClass;
  key: string;
  limit: number;
}

export interface Allowances {
  /** Whether the address alone decides, so that a request can be counted before identity is asked about its token. */
  isByAddress(name: RateLimitClass): boolean;
  ofAddress(exchange: Exchange, name: RateLimitClass): Allowance;
  of(exchange: Exchange, name: RateLimitClass, session: Session): Promise<Allowance>;
}

/** The number of an account wins over that of an address, and both over the published one. */
export function createAllowances(limits: Limits, raised: RaisedLimits): Allowances {
  const limitOf = (exchange: Exchange, name: RateLimitClass): number =>
    raised.ofAddress(exchange.clientIp, name) ?? limits[name];

  return {
    isByAddress: (name) => rateLimitClasses[name].by === 'ip' && !raised.hasAccounts(name),

    ofAddress: (exchange, name) => ({ name, key: addressKey(exchange), limit: limitOf(exchange, name) }),

    async of(exchange, name, session) {
      const caller = session.state === 'live' ? session.caller : undefined;
      const ofAccount = raised.ofAccount(caller, name);
      const limit = ofAccount ?? limitOf(exchange, name);
      switch (rateLimitClasses[name].by) {
        case 'ip':
          return { name, key: ofAccount === undefined ? addressKey(exchange) : `account:${caller!.accountId}`, limit };
        case 'user':
          return { name, key: userKey(exchange, session), limit };
        case 'user+extension':
          return { name, key: await userAndExtensionKey(exchange, session), limit };
      }
    },
  };
}

import { requireAccess } from './access/authenticate';
import type { Authenticator } from './access/authenticate';
import type { ConsoleCookie } from './access/console-cookie';
import type { OwnPages } from './access/own-pages';
import type { Session } from './access/token-cache';
import type { RateLimitClass } from './contract/rate-limit-classes';
import type { Endpoint } from './endpoints/endpoint';
import type { Exchange } from './http/exchange';
import type { Allowances } from './limits/allowance';
import type { RateLimit } from './limits/rate-limit';

export interface AdmissionOptions {
  authenticator: Authenticator;
  cookie: ConsoleCookie;
  ownPages: OwnPages;
  rateLimit: RateLimit;
  allowances: Allowances;
}

/** Counts the request, finds its caller, and throws if the limit, the token or the role does not allow it. */
export type Admission = (exchange: Exchange, endpoint: Pick<Endpoint, 'access' | 'rateLimit'>) => Promise<void>;

export function createAdmission(options: AdmissionOptions): Admission {
  const { authenticator, cookie, ownPages, rateLimit, allowances } = options;

  /** Counts before the token is looked up wherever the address alone decides, so that a flood does not reach identity. */
  const admitByToken: Admission = async (exchange, { access, rateLimit: name }) => {
    if (access === 'PUBLIC') {
      await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
      return;
    }
    if (allowances.isByAddress(name)) {
      await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
      requireAccess(exchange, access, await authenticator.sessionOf(exchange));
      return;
    }
    const session = await orCounted(exchange, name, authenticator.sessionOf(exchange));
    await rateLimit.count(
      exchange,
      await allowances.of(exchange, name, session.state === 'live' ? session.caller : undefined),
    );
    requireAccess(exchange, access, session);
  };

  async function admitByCookie(
    exchange: Exchange,
    { access, rateLimit: name }: Parameters<Admission>[1],
    token: string,
  ): Promise<void> {
    const find = async () =>
      ownPages.isForeign(exchange) ? undefined : authenticator.consoleSessionOf(exchange, token);
    if (access === 'PUBLIC') {
      // Here the session decides about the count only, so the request does not fail while identity is away.
      await countByCookie(exchange, name, await find().catch(() => undefined));
      return;
    }
    const session = await orCounted(exchange, name, find());
    await countByCookie(exchange, name, session);
    if (session === undefined || session.state === 'live') {
      ownPages.require(exchange);
    }
    requireAccess(exchange, access, session ?? { state: 'unknown' });
  }

  /** A live session is counted by user in a class of its own, whatever the route; any other one as a request without a token. */
  async function countByCookie(exchange: Exchange, name: RateLimitClass, session: Session | undefined): Promise<void> {
    if (session?.state === 'live') {
      await rateLimit.count(exchange, await allowances.of(exchange, 'CONSOLE', session.caller));
      return;
    }
    if (session !== undefined) {
      exchange.headers['set-cookie'] = cookie.end;
    }
    await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
  }

  /** While identity is away the request counts too, and its 503 has the RateLimit headers. */
  async function orCounted<Found>(exchange: Exchange, name: RateLimitClass, found: Promise<Found>): Promise<Found> {
    try {
      return await found;
    } catch (error) {
      await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
      throw error;
    }
  }

  return (exchange, endpoint) => {
    const token = cookie.read(exchange);
    // Logins are counted by address, whoever is logged in already.
    return token === undefined || endpoint.rateLimit === 'LOGIN' || authenticator.hasToken(exchange)
      ? admitByToken(exchange, endpoint)
      : admitByCookie(exchange, endpoint, token);
  };
}

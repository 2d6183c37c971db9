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

const SESSION_PATH = '/api/v1/session';

export interface AdmissionOptions {
  authenticator: Authenticator;
  cookie: ConsoleCookie;
  ownPages: OwnPages;
  rateLimit: RateLimit;
  allowances: Allowances;
}

/** Counts the request, finds its caller, and throws if the limit, the token or the role does not allow it. */
export type Admission = (
  exchange: Exchange,
  endpoint: Pick<Endpoint, 'access' | 'rateLimit' | 'template'>,
) => Promise<void>;

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

  const sessionOf = async (exchange: Exchange, token: string): Promise<Session | undefined> =>
    ownPages.isForeign(exchange) ? undefined : authenticator.consoleSessionOf(exchange, token);

  /** The console hears a recording piece by piece, through a link that is public. While identity is away, the address counts. */
  async function admitPublicRead(exchange: Exchange, name: RateLimitClass, token: string): Promise<void> {
    await countByCookie(exchange, name, await sessionOf(exchange, token).catch(() => undefined));
  }

  async function admitByCookie(
    exchange: Exchange,
    { access, rateLimit: name, template }: Parameters<Admission>[1],
    token: string,
  ): Promise<void> {
    const session = await orCounted(exchange, name, sessionOf(exchange, token));
    // Elsewhere a late response to the former session would make the browser forget the one that it has begun meanwhile.
    if (session !== undefined && session.state !== 'live' && template === SESSION_PATH) {
      exchange.headers['set-cookie'] = cookie.end;
    }
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
    if (token === undefined || authenticator.hasToken(exchange)) {
      return admitByToken(exchange, endpoint);
    }
    if (endpoint.access !== 'PUBLIC') {
      return admitByCookie(exchange, endpoint, token);
    }
    // Logins, and what sends mails or takes payments, are counted by address, whoever is logged in already.
    return isRead(exchange) ? admitPublicRead(exchange, endpoint.rateLimit, token) : admitByToken(exchange, endpoint);
  };
}

const isRead = ({ method }: Exchange): boolean => method === 'GET' || method === 'HEAD';

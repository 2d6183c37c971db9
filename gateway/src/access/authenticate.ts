import { AuthenticateRequest, AuthenticateResponse, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { denied, unauthenticated } from '@sabia/service-kit/errors';
import type { SendRpc } from '../clients/service-clients';
import { tooManyRequests } from '../errors/http-error';
import type { Exchange } from '../http/exchange';
import { createLanes } from '../lanes';
import type { Access } from '../contract/routes';
import type { Session, TokenCache } from './token-cache';
import { createGuessGuard } from './guess-guard';
import { WINDOW_SECONDS } from '../contract/rate-limit-classes';
import { addressKey } from '../limits/rate-limit-key';
import { hashToken, tokenOf } from './token-source';

/** Of one address. */
const LOOKUPS_AT_A_TIME = 20;

export interface Authenticator {
  /** Who the request's token stands for; never rejects because of the token itself. */
  sessionOf(exchange: Exchange): Promise<Session>;
}

export function createAuthenticator(cache: TokenCache, options: { allowQueryToken: boolean }): Authenticator {
  const guesses = createGuessGuard();
  /** Requests that come all at once must not be looked up before the first of them has been noted as a guess. */
  const enterLane = createLanes(LOOKUPS_AT_A_TIME);

  function hashOf(exchange: Exchange): string | undefined {
    const query = options.allowQueryToken ? () => exchange.query() : undefined;
    const token = tokenOf(exchange.request, query);
    return token === undefined ? undefined : hashToken(token);
  }

  async function lookUp(address: string, hash: string): Promise<Session> {
    const leave = await enterLane(address);
    try {
      const refused = guesses.remembered(address, hash);
      if (refused !== undefined) {
        return refused;
      }
      if (guesses.isExhausted(address) && !cache.has(hash)) {
        throw tooManyRequests(WINDOW_SECONDS);
      }
      const session = await cache.get(hash);
      if (session.state !== 'live') {
        guesses.note(address, hash, session);
      }
      return session;
    } finally {
      leave();
    }
  }

  return {
    async sessionOf(exchange) {
      const hash = hashOf(exchange);
      if (hash === undefined) {
        return { state: 'unknown' };
      }
      return cache.has(hash) ? cache.get(hash) : lookUp(addressKey(exchange), hash);
    },
  };
}

/** Lets the request pass as its caller, or throws the 401 or 403 that it deserves. */
export function requireAccess(exchange: Exchange, access: Access, session: Session): void {
  if (session.state === 'expired') {
    throw unauthenticated('INVALID_TOKEN', 'Invalid Access Token');
  }
  if (session.state !== 'live' || session.caller === undefined) {
    throw unauthenticated('AUTHORIZATION_REQUIRED', 'Authorization Required');
  }
  exchange.caller = session.caller;
  if (access === 'ADMIN' && session.caller.role !== Role.ADMIN) {
    throw denied();
  }
}

const LOOKUP_TIMEOUT_MS = 5_000;

const states: Partial<Record<TokenState, Session['state']>> = {
  [TokenState.LIVE]: 'live',
  [TokenState.EXPIRED]: 'expired',
};

/** Asks identity. The lookup belongs to no single request: several may be waiting for it, and the first may leave. */
export function createTokenLookup(
  authenticate: SendRpc,
  newRequestId: () => string,
): (hash: string) => Promise<Session> {
  return async (hash) => {
    const request = AuthenticateRequest.encode({ tokenHash: Buffer.from(hash, 'hex') }).finish();
    const scope = { requestId: newRequestId(), signal: new AbortController().signal };
    const answer = AuthenticateResponse.decode(
      await authenticate(Buffer.from(request), scope, { timeoutMs: LOOKUP_TIMEOUT_MS }),
    );
    return {
      state: states[answer.state] ?? 'unknown',
      caller: answer.caller,
      expiresAt: answer.expiresAt?.getTime(),
    };
  };
}

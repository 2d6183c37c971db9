import { badRequest } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import { ClientGone, otherMethod, unknownRoute } from './errors/http-error';
import type { HttpError } from './errors/http-error';
import { renderError } from './errors/render';
import type { Answer } from './http/response';
import type { Exchange } from './http/exchange';
import { preflightHeaders } from './http/headers';
import { requireAccess } from './access/authenticate';
import type { Authenticator } from './access/authenticate';
import type { Allowances } from './limits/allowance';
import type { RateLimit } from './limits/rate-limit';
import type { RateLimitClass } from './contract/rate-limit-classes';
import type { Session } from './access/token-cache';
import type { Routable } from './http/router';
import { Router } from './http/router';
import type { Access } from './contract/routes';

/** Something that answers under a path: a route of the protos, or one of the few written by hand. */
export interface Endpoint extends Routable {
  template: string;
  model: string;
  access: Access;
  rateLimit: RateLimitClass;
  /** Go out with every answer of this endpoint, errors included. */
  headers: Readonly<Record<string, string>>;
  answer(exchange: Exchange, parameters: string[]): Promise<Answer>;
}

/** Served beside the API of the main port, by GET alone. Any other method of them ends up here. */
export const pagePaths: ReadonlySet<string> = new Set(['/', '/docs', '/openapi.json', '/healthz', '/readyz']);

export interface ApiOptions {
  endpoints: Endpoint[];
  /** Paths that are served beside it. */
  pages?: ReadonlySet<string>;
  authenticator: Authenticator;
  rateLimit: RateLimit;
  allowances: Allowances;
  log: Logger;
}

/**
 * Takes a request from its arrival to its answer: limit, token, role, then the endpoint. Never rejects. With a refusal it is counted
 * and refused, whatever it asks for.
 */
export type Api = (exchange: Exchange, refusal?: HttpError) => Promise<void>;

export function createApi({ endpoints, pages, authenticator, rateLimit, allowances, log }: ApiOptions): Api {
  const router = new Router<Endpoint>();
  endpoints.forEach((endpoint) => router.add(endpoint));

  async function answer(exchange: Exchange, refusal: HttpError | undefined): Promise<Answer> {
    const { method, path } = exchange;
    if (refusal !== undefined) {
      await rateLimit.count(exchange, allowances.ofAddress(exchange, 'OTHER'));
      throw refusal;
    }
    if (method === 'OPTIONS') {
      await rateLimit.show(exchange, allowances.ofAddress(exchange, 'OTHER'));
      return { status: 204, headers: preflightHeaders(exchange.request.headers['access-control-request-headers']) };
    }
    const match = router.find(method, path);
    if (match.kind === 'found') {
      const { route, parameters } = match;
      exchange.template = route.template;
      exchange.model = route.model;
      Object.assign(exchange.headers, route.headers);
      await admit(exchange, route);
      return route.answer(exchange, parameters);
    }
    await rateLimit.count(exchange, allowances.ofAddress(exchange, 'OTHER'));
    switch (match.kind) {
      case 'malformed':
        throw badRequest('INVALID_PATH', 'The path is not correctly percent-encoded.');
      case 'other-method':
        throw otherMethod(method, match.allowed);
      default:
        throw pages?.has(path) ? otherMethod(method, ['GET', 'HEAD', 'OPTIONS']) : unknownRoute(method, path);
    }
  }

  /** Counts first wherever the address alone decides: a flood must not reach identity. */
  async function admit(exchange: Exchange, { access, rateLimit: name }: Endpoint): Promise<void> {
    if (access === 'PUBLIC') {
      await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
      return;
    }
    if (allowances.isByAddress(name)) {
      await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
      requireAccess(exchange, access, await authenticator.sessionOf(exchange));
      return;
    }
    const session = await resolveSession(exchange, name);
    await rateLimit.count(exchange, await allowances.of(exchange, name, session));
    requireAccess(exchange, access, session);
  }

  async function resolveSession(exchange: Exchange, name: RateLimitClass): Promise<Session> {
    try {
      return await authenticator.sessionOf(exchange);
    } catch (error) {
      // Identity is away. Even this answer counts and carries the headers.
      await rateLimit.count(exchange, allowances.ofAddress(exchange, name));
      throw error;
    }
  }

  return async (exchange, refusal) => {
    try {
      exchange.send(await answer(exchange, refusal));
    } catch (error) {
      if (exchange.cancelled || error instanceof ClientGone) {
        return;
      }
      const rendered = renderError(error, exchange.requestId);
      const retryAfter = rendered.headers?.['retry-after'];
      if (rendered.status === 429 && retryAfter !== undefined) {
        // A service has limits of its own: whoever waits as these headers say must not come too early.
        Object.assign(exchange.headers, { 'ratelimit-remaining': '0', 'ratelimit-reset': retryAfter });
      }
      if (rendered.unexpected) {
        log.error({ err: error, requestId: exchange.requestId, route: exchange.template }, 'unexpected error');
      }
      exchange.send(rendered);
    }
  };
}

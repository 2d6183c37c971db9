import { badRequest } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import type { Admission } from './admission';
import type { Endpoint } from './endpoints/endpoint';
import { ClientGone, otherMethod, unknownRoute } from './errors/http-error';
import type { HttpError } from './errors/http-error';
import { renderError } from './errors/render';
import type { Exchange } from './http/exchange';
import { preflightHeaders } from './http/headers';
import { wantsPage } from './http/reader';
import type { HttpResponse } from './http/response';
import { Router } from './http/router';
import type { Allowances } from './limits/allowance';
import type { RateLimit } from './limits/rate-limit';
import { errorPage } from './pages/error-page';

/** Paths that Express serves for GET on the main port. Every other method of them reaches the API, which refuses it. */
export const pagePaths: ReadonlySet<string> = new Set([
  '/',
  '/docs',
  '/openapi.json',
  '/openapi.pt-BR.json',
  '/healthz',
  '/readyz',
]);

export interface ApiOptions {
  endpoints: Endpoint[];
  /** Paths that are served outside of the API. */
  pages?: ReadonlySet<string>;
  admit: Admission;
  rateLimit: RateLimit;
  allowances: Allowances;
  log: Logger;
}

/**
 * Takes a request to its response: limit, token, role, endpoint. Never rejects. A request with a refusal is counted and
 * refused, whatever its route.
 */
export type Api = (exchange: Exchange, refusal?: HttpError) => Promise<void>;

export function createApi({ endpoints, pages, admit, rateLimit, allowances, log }: ApiOptions): Api {
  const router = new Router<Endpoint>();
  endpoints.forEach((endpoint) => router.add(endpoint));

  async function respond(exchange: Exchange, refusal: HttpError | undefined): Promise<HttpResponse> {
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
      return route.respond(exchange, parameters);
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

  return async (exchange, refusal) => {
    try {
      exchange.send(await respond(exchange, refusal));
    } catch (error) {
      if (exchange.cancelled || error instanceof ClientGone) {
        return;
      }
      const rendered = renderError(error, exchange.requestId);
      const retryAfter = rendered.headers?.['retry-after'];
      if (rendered.status === 429 && retryAfter !== undefined) {
        // The limit of a service: a client that waits as these headers say must not come back too early.
        Object.assign(exchange.headers, { 'ratelimit-remaining': '0', 'ratelimit-reset': retryAfter });
      }
      if (rendered.unexpected) {
        log.error({ err: error, requestId: exchange.requestId, route: exchange.template }, 'unexpected error');
      }
      exchange.send(wantsPage(exchange) ? errorPage(exchange, rendered) : rendered);
    }
  };
}

import { badRequest } from '@sabia/service-kit/errors';
import { selectFields } from '@sabia/service-kit/filter/read-selection';
import type { SendRpc } from '../clients/service-clients';
import { renderError } from '../errors/render';
import type { HttpResponse } from '../http/response';
import type { Exchange } from '../http/exchange';
import { headOf } from './endpoint';
import type { Endpoint } from './endpoint';
import { replayedHeaders } from '../idempotency/idempotency';
import type { Idempotency } from '../idempotency/idempotency';
import { fieldContracts } from '../contract/field-contract';
import { parseTemplate } from '../contract/http-rule';
import { compileRequest } from '../transcoder/request/request-transcoder';
import { compileResponse } from '../transcoder/response/response-transcoder';
import type { ResponseOptions } from '../transcoder/response/response-transcoder';
import type { EncodedRequest } from '../transcoder/request/request-transcoder';
import type { Route } from '../contract/routes';

/** Serves a route of the protos: JSON in, one rpc, JSON out. */
export function createRpcEndpoint(
  route: Route,
  sendRpc: SendRpc,
  idempotency: Idempotency,
  responseOptions: ResponseOptions,
): Endpoint {
  const encode = compileRequest(route);
  const write = compileResponse(route, responseOptions);
  const name = `${route.method} ${route.template}`;
  const canonicalPath = compileCanonicalPath(route);
  const hasCondition = fieldContracts(route.rpc.requestType).some(({ ifNoneMatch }) => ifNoneMatch);

  async function forward(exchange: Exchange, { bytes: request, filter }: EncodedRequest): Promise<HttpResponse> {
    // A client with an Idempotency-Key that disconnects will come back for the response, so its rpc is not cancelled.
    const keyed = exchange.idempotencyKey !== undefined;
    // What became of an operator's request has to be known, for the audit log.
    const cancellable = !keyed && route.access !== 'OPERATOR';
    let replayed = false;
    const bytes = await sendRpc(
      request,
      exchange.scope({ cancellable }),
      keyed ? { repeatable: route.idempotencyKeyKept, onReplayed: () => (replayed = true) } : undefined,
    );
    if (route.successStatus === 204) {
      return { status: 204 };
    }
    return {
      status: route.successStatus,
      body: write(bytes, filter === undefined ? undefined : selectFields(filter)),
      headers: replayed ? replayedHeaders : undefined,
    };
  }

  /** A refusal by the service is stored under the key like any other response; a 5xx is not. */
  async function forwardOrRender(exchange: Exchange, request: EncodedRequest): Promise<HttpResponse> {
    try {
      return await forward(exchange, request);
    } catch (error) {
      const rendered = renderError(error, exchange.requestId);
      if (rendered.status >= 500) {
        throw error;
      }
      return rendered;
    }
  }

  return {
    ...headOf(route),
    headers: deprecationHeaders(route),
    async respond(exchange, parameters) {
      const canonical = canonicalPath(parameters);
      if (canonical !== undefined) {
        exchange.headers['link'] = `<${canonical}>; rel="canonical"`;
      }
      if (route.idempotencyKey) {
        exchange.idempotencyKey = idempotencyKeyOf(exchange);
      }
      const body = route.body === '' ? undefined : await exchange.body();
      if (body === undefined) {
        await exchange.ignoreBody();
      }
      const ifNoneMatch = hasCondition && ifNoneMatchOf(exchange);
      const request = encode({ parameters, query: () => exchange.query(), body, ifNoneMatch });
      if (exchange.idempotencyKey === undefined) {
        return forward(exchange, request);
      }
      return idempotency.once(exchange, { name, kept: route.idempotencyKeyKept }, request.bytes, () =>
        forwardOrRender(exchange, request),
      );
    },
  };
}

/** The Idempotency-Key of a request, or undefined when it has none. */
function idempotencyKeyOf({ request }: Exchange): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) {
    return undefined;
  }
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw badRequest('INVALID_IDEMPOTENCY_KEY', 'The Idempotency-Key must have 1 to 255 printable ASCII characters.');
  }
  return key;
}

/** Whether the request may only create. There are no entity tags to compare with, so another value is a mistake. */
function ifNoneMatchOf({ request }: Exchange): boolean {
  const value = request.headers['if-none-match'];
  if (value !== undefined && value.trim() !== '*') {
    throw badRequest('INVALID_IF_NONE_MATCH', 'The If-None-Match header can only be *.');
  }
  return value !== undefined;
}

function deprecationHeaders({ rpc, successor }: Route): Record<string, string> {
  if (!rpc.deprecated) {
    return {};
  }
  return {
    deprecation: 'true',
    ...(successor === undefined ? {} : { link: `<${successor}>; rel="successor-version"` }),
  };
}

/** The path that an alias stands for, with the parameters of the request; undefined if the alias has fewer of them. */
function compileCanonicalPath({ canonical, segments }: Route): (parameters: string[]) => string | undefined {
  if (canonical === undefined) {
    return () => undefined;
  }
  const names = segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
  const target = parseTemplate(canonical);
  const isComplete = target.every((segment) => 'literal' in segment || names.includes(segment.parameter));
  return (parameters) =>
    isComplete
      ? target
          .map((segment) =>
            'literal' in segment
              ? `/${segment.literal}`
              : `/${encodeURIComponent(parameters[names.indexOf(segment.parameter)] ?? '')}`,
          )
          .join('')
      : undefined;
}

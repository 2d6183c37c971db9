import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { status as grpcStatus } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';
import { TransportError } from '@sabia/service-kit/errors';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { contextFromHeaders } from '@sabia/service-kit/trace-context';
import type { ClientIp } from './client-ip';
import { Exchange } from './exchange';

export interface RequestContextOptions {
  telemetry: Telemetry;
  clientIp: ClientIp;
  timeoutMs: number;
  bodyLimitBytes: number;
  isDraining: () => boolean;
  onFinished: (exchange: Exchange, aborted: boolean) => void;
}

export type RequestContext = (request: IncomingMessage, response: ServerResponse) => Exchange;

/** Creates the exchange of a request, with everything that is known before its route. */
export function createRequestContext(options: RequestContextOptions): RequestContext {
  const { telemetry, clientIp, timeoutMs, bodyLimitBytes, isDraining, onFinished } = options;
  return (request, response) => {
    const { traceparent, tracestate } = request.headers;
    const parent = contextFromHeaders({
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    });
    const method = request.method ?? 'GET';
    const exchange = new Exchange({
      request,
      response,
      requestId: requestIdOf(request),
      clientIp: clientIp(request),
      timeoutMs,
      bodyLimitBytes,
      span: telemetry.tracer.startSpan(
        `HTTP ${method}`,
        { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
        parent,
      ),
      isDraining,
    });
    response.once('close', () => {
      const aborted = !response.writableFinished;
      if (aborted) {
        exchange.cancel(new TransportError(grpcStatus.CANCELLED, 'the client has gone'));
      }
      onFinished(exchange, aborted);
    });
    return exchange;
  };
}

const sane = /^[A-Za-z0-9!#$%&'*+\-.^_`|~:/=@]{1,128}$/;

/** The client's own id if it is safe for logs and headers, otherwise a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}

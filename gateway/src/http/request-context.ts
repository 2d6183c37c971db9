import type { IncomingMessage, ServerResponse } from 'node:http';
import { status as grpcStatus } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';
import { TransportError } from '@sabia/service-kit/errors';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { contextFromHeaders } from '@sabia/service-kit/trace-context';
import type { ClientIp } from './client-ip';
import { Exchange } from './exchange';
import { requestIdOf } from './request-id';

export interface RequestContextOptions {
  telemetry: Telemetry;
  clientIp: ClientIp;
  timeoutMs: number;
  bodyLimitBytes: number;
  isDraining: () => boolean;
  onFinished: (exchange: Exchange, aborted: boolean) => void;
}

export type RequestContext = (request: IncomingMessage, response: ServerResponse) => Exchange;

/** Everything about a request that is known before anybody looks at its route. */
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

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { status as grpcStatus } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Attributes, Histogram } from '@opentelemetry/api';
import { TransportError } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { contextFromHeaders } from '@sabia/service-kit/trace-context';
import proxyAddr from 'proxy-addr';
import { HttpError } from '../errors/http-error';
import { Exchange } from './exchange';

export interface RequestContextOptions {
  telemetry: Telemetry;
  log: Logger;
  clientIp: ClientIp;
  timeoutMs: number;
  bodyLimitBytes: number;
  /** Aborted when the gateway stops. */
  stopping: AbortSignal;
}

export type RequestContext = (request: IncomingMessage, response: ServerResponse) => Exchange;

/** Creates the exchange of a request, with everything that is known before its route, and records its end. */
export function createRequestContext(options: RequestContextOptions): RequestContext {
  const { telemetry, clientIp, timeoutMs, bodyLimitBytes, stopping } = options;
  const recordEnd = createRequestLog(options.log, telemetry);
  return (request, response) => {
    const { traceparent, tracestate } = request.headers;
    const parent = contextFromHeaders({
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    });
    const method = request.method ?? 'GET';
    let recorded = false;
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
      stopping,
      // Recorded when it begins: how long a client listens says nothing about the gateway.
      onStreaming() {
        recorded = true;
        recordEnd(exchange, false);
      },
    });
    response.once('close', () => {
      const aborted = !response.writableFinished;
      if (aborted) {
        exchange.cancel(new TransportError(grpcStatus.CANCELLED, 'the client has gone'));
      }
      if (!recorded) {
        recordEnd(exchange, aborted);
      }
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

export type ClientIp = (request: IncomingMessage) => string;

/** Believes X-Forwarded-For only as far back as trusted proxies wrote it. */
export function createClientIp(trustedProxies: readonly string[]): ClientIp {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const direct = request.socket.remoteAddress;
    // A connection that the client has reset has lost its address.
    if (direct === undefined || request.headers['x-forwarded-for'] === undefined) {
      return unmapped(direct ?? '0.0.0.0');
    }
    const claimed = unmapped(proxyAddr(request, trusts));
    return isIP(claimed) === 0 ? unmapped(direct) : claimed;
  };
}

/** On a dual-stack socket an IPv4 address arrives as ::ffff:a.b.c.d. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** The error of a request that cannot be served whatever its route. Node would respond to these itself, without a body. */
export function refusalOf({ headers, httpVersion }: IncomingMessage): HttpError | undefined {
  if (headers.host === undefined && httpVersion !== '1.0') {
    return new HttpError(400, 'BadRequestError', 'HOST_REQUIRED', 'The Host header is missing.');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return new HttpError(
      417,
      'ExpectationFailedError',
      'EXPECTATION_FAILED',
      'The Expect header can only ask for 100-continue.',
    );
  }
  return undefined;
}

/** The status that proxies commonly log for a client that did not wait for the response. */
const CLIENT_CLOSED_REQUEST = 499;

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Records rate, errors and duration by route template, and one log line per request. Neither contains query strings or bodies. */
function createRequestLog(log: Logger, telemetry: Telemetry): (exchange: Exchange, aborted: boolean) => void {
  const durations = telemetry.meter.createHistogram('sabia_http_request_duration_seconds', {
    description: 'Duration of HTTP requests by method, route template and status',
    advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  });
  const record = createRecorder(durations);

  return (exchange, aborted) => {
    const status = aborted ? CLIENT_CLOSED_REQUEST : exchange.response.statusCode;
    const ms = performance.now() - exchange.startedAt;
    const method = knownMethods.has(exchange.method) ? exchange.method : 'OTHER';
    record(ms / 1000, method, exchange.template, status);
    endSpan(exchange, method, status);
    log.info(
      {
        method,
        route: exchange.template,
        status,
        ms: Math.round(ms * 10) / 10,
        requestId: exchange.requestId,
        userId: exchange.caller?.userId,
        traceId: exchange.span.spanContext().traceId,
      },
      'request',
    );
  };
}

function createRecorder(durations: Histogram) {
  const known = new Map<string, Attributes>();
  return (seconds: number, method: string, route: string, status: number): void => {
    const key = `${method} ${route} ${status}`;
    let attributes = known.get(key);
    if (attributes === undefined) {
      attributes = { method, route, status: String(status) };
      known.set(key, attributes);
    }
    durations.record(seconds, attributes);
  };
}

function endSpan({ span, template }: Exchange, method: string, status: number): void {
  if (span.isRecording()) {
    span.updateName(`${method} ${template}`);
    span.setAttributes({ 'http.route': template, 'http.response.status_code': status });
    if (status >= 500) {
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}

import { SpanStatusCode } from '@opentelemetry/api';
import type { Attributes, Histogram } from '@opentelemetry/api';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import type { Exchange } from './exchange';

/** The status that proxies commonly log for a client that did not wait for the response. */
const CLIENT_CLOSED_REQUEST = 499;

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Records rate, errors and duration by route template, and one log line per request. Neither contains query strings or bodies. */
export function createRequestLog(log: Logger, telemetry: Telemetry): (exchange: Exchange, aborted: boolean) => void {
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

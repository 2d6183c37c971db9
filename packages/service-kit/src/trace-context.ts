import { randomBytes } from 'node:crypto';
import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { TraceState, parseTraceParent } from '@opentelemetry/core';
import { currentScope } from './request-scope';

/** W3C trace context as it travels in gRPC metadata, NATS headers, event envelopes and HTTP headers. */
export interface TraceHeaders {
  traceparent?: string;
  tracestate?: string;
}

/** The headers for the given span, by default the current request's. */
export function traceHeaders(span: Span | undefined = currentScope()?.span): TraceHeaders {
  if (span === undefined) {
    return {};
  }
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const headers: TraceHeaders = {
    traceparent: `00-${traceId}-${spanId}-0${(traceFlags & TraceFlags.SAMPLED).toString(16)}`,
  };
  if (traceState !== undefined) {
    headers.tracestate = traceState.serialize();
  }
  return headers;
}

/** The traceparent of an event if its trace is sampled, as in sampledTraceparent(). */
export function sampledOnly({ traceparent }: TraceHeaders = {}): string | undefined {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent !== null && (parent.traceFlags & TraceFlags.SAMPLED) !== 0 ? traceparent : undefined;
}

/** The current traceparent, for work that outlives the request but belongs to its trace; undefined when the trace is not sampled. */
export function sampledTraceparent(): string | undefined {
  const span = currentScope()?.span;
  return span !== undefined && (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
    ? traceHeaders(span).traceparent
    : undefined;
}

/** The context for a new span: a child of the sender's span, or a root without one. */
export function contextFromHeaders({ traceparent, tracestate }: TraceHeaders): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (parent === null) {
    return ROOT_CONTEXT;
  }
  parent.isRemote = true;
  if (tracestate) {
    parent.traceState = new TraceState(tracestate);
  }
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

export function contextOfSpan(span: Span | undefined = currentScope()?.span): Context {
  return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
}

/**
 * The tracer while no traces are exported. It records nothing, passes an incoming trace on unchanged, and starts a trace id where there
 * is none, so that the log lines of one request can be found in every service by one trace id.
 */
export const passingTracer: Pick<Tracer, 'startSpan'> = {
  startSpan(_name, _options, context = ROOT_CONTEXT) {
    const parent = trace.getSpanContext(context);
    if (parent !== undefined) {
      return trace.wrapSpanContext(parent);
    }
    const ids = randomBytes(24).toString('hex');
    return trace.wrapSpanContext({ traceId: ids.slice(0, 32), spanId: ids.slice(32), traceFlags: TraceFlags.NONE });
  },
};

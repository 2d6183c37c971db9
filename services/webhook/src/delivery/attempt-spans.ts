import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { contextFromHeaders, traceHeaders } from '@sabia/service-kit/trace-context';
import type { Attempt, Outcome } from '../domain/outcome';
import type { Held } from './lane';

export interface AttemptSpan {
  /** Sent to the receiver, so that its own spans can join the trace. */
  traceparent: string | undefined;
  end(attempt?: Attempt, outcome?: Outcome): void;
}

/** Undefined, and next to no work, for a delivery whose trace is not sampled. */
export type BeginAttempt = (
  delivery: Pick<Held, 'traceparent' | 'integrationId' | 'eventType'>,
) => AttemptSpan | undefined;

/** Spans contain neither the address nor the body of a webhook: both may be confidential. */
export function createAttemptSpans(tracer: Pick<Tracer, 'startSpan'>): BeginAttempt {
  return ({ traceparent, integrationId, eventType }) => {
    if (traceparent === null) {
      return undefined;
    }
    const attributes = {
      'http.request.method': 'POST',
      'sabia.integration.id': integrationId,
      'sabia.event.type': eventType,
    };
    const options = { kind: SpanKind.CLIENT, attributes };
    const span = tracer.startSpan('POST webhook', options, contextFromHeaders({ traceparent }));
    return {
      traceparent: traceHeaders(span).traceparent,
      end(attempt, outcome) {
        if (attempt?.status !== undefined) {
          span.setAttribute('http.response.status_code', attempt.status);
        }
        if (outcome?.status !== 'delivered') {
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  };
}

import { randomBytes } from 'node:crypto';
import { TraceFlags, context as contextApi, trace } from '@opentelemetry/api';
import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';

/**
 * The tracer while nothing is exported. It records nothing, hands an incoming trace on unchanged, and names a trace where
 * there is none, so that the log lines of one request can be found in every service by one trace id.
 */
export class PassingTracer implements Tracer {
  startSpan(_name: string, _options?: SpanOptions, context: Context = contextApi.active()): Span {
    const parent = trace.getSpanContext(context);
    return trace.wrapSpanContext(
      parent ?? {
        traceId: randomId(16),
        spanId: randomId(8),
        traceFlags: TraceFlags.NONE,
      },
    );
  }

  startActiveSpan<F extends (span: Span) => unknown>(name: string, work: F): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(name: string, options: SpanOptions, work: F): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    options: SpanOptions,
    context: Context,
    work: F,
  ): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(name: string, ...rest: unknown[]): ReturnType<F> {
    const work = rest.at(-1) as F;
    const context = rest.length > 2 ? (rest[1] as Context) : contextApi.active();
    return work(this.startSpan(name, undefined, context)) as ReturnType<F>;
  }
}

const randomId = (bytes: number): string => randomBytes(bytes).toString('hex');

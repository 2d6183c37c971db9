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

/** Drawn for many ids at once: asking the system for each costs more than all the rest of a span. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

function randomId(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

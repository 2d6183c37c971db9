import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { runInScope } from './request-scope';
import { contextFromHeaders, passingTracer, sampledTraceparent, traceHeaders } from './trace-context';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('trace context', () => {
  it('is written as it was read', () => {
    const context = contextFromHeaders({ traceparent, tracestate: 'vendor=1' });
    expect(traceHeaders(trace.getSpan(context))).toEqual({ traceparent, tracestate: 'vendor=1' });
  });

  it.each([undefined, '', 'garbage', '00-00000000000000000000000000000000-b7ad6b7169203331-01'])(
    'is absent for the header %j',
    (text) => {
      expect(contextFromHeaders({ traceparent: text })).toBe(ROOT_CONTEXT);
    },
  );

  it('is that of the current request', () => {
    const span = trace.getSpan(contextFromHeaders({ traceparent }));
    const scope = { requestId: 'r', signal: new AbortController().signal, span };
    expect(runInScope(scope, () => traceHeaders())).toEqual({ traceparent });
    expect(traceHeaders()).toEqual({});
  });

  it('is kept for later work only if the trace is sampled', () => {
    const later = (text: string): string | undefined => {
      const span = trace.getSpan(contextFromHeaders({ traceparent: text }));
      return runInScope({ requestId: 'r', signal: new AbortController().signal, span }, sampledTraceparent);
    };
    expect(later(traceparent)).toBe(traceparent);
    expect(later(traceparent.replace(/1$/, '0'))).toBeUndefined();
    expect(sampledTraceparent()).toBeUndefined();
  });
});

describe('passingTracer', () => {
  it('passes an incoming trace on unchanged', () => {
    expect(traceHeaders(passingTracer.startSpan('x', {}, contextFromHeaders({ traceparent })))).toEqual({
      traceparent,
    });
  });

  it('starts a trace where there is none, and records nothing', () => {
    const span = passingTracer.startSpan('x', {}, ROOT_CONTEXT);
    expect(span.isRecording()).toBe(false);
    expect(traceHeaders(span).traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});

import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { PassingTracer } from './passing-tracer';
import { runInScope } from './request-scope';
import { contextFromHeaders, sampledTraceparent, traceHeaders } from './trace-context';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('trace context', () => {
  it('survives there and back', () => {
    const context = contextFromHeaders({ traceparent, tracestate: 'vendor=1' });
    expect(traceHeaders(trace.getSpan(context))).toEqual({ traceparent, tracestate: 'vendor=1' });
  });

  it.each([undefined, '', 'garbage', '00-00000000000000000000000000000000-b7ad6b7169203331-01'])(
    'starts afresh from %j',
    (text) => {
      expect(contextFromHeaders({ traceparent: text })).toBe(ROOT_CONTEXT);
    },
  );

  it('takes the trace of the current request', () => {
    const span = trace.getSpan(contextFromHeaders({ traceparent }));
    const scope = { requestId: 'r', signal: new AbortController().signal, span };
    expect(runInScope(scope, () => traceHeaders())).toEqual({ traceparent });
    expect(traceHeaders()).toEqual({});
  });

  it('is told to what comes later only if somebody keeps the trace', () => {
    const later = (text: string): string | undefined => {
      const span = trace.getSpan(contextFromHeaders({ traceparent: text }));
      return runInScope({ requestId: 'r', signal: new AbortController().signal, span }, sampledTraceparent);
    };
    expect(later(traceparent)).toBe(traceparent);
    expect(later(traceparent.replace(/1$/, '0'))).toBeUndefined();
    expect(sampledTraceparent()).toBeUndefined();
  });
});

describe('PassingTracer', () => {
  const tracer = new PassingTracer();

  it('hands an incoming trace on unchanged', () => {
    expect(traceHeaders(tracer.startSpan('x', {}, contextFromHeaders({ traceparent })))).toEqual({ traceparent });
  });

  it('names a trace where there is none, and records nothing', () => {
    const span = tracer.startSpan('x', {}, ROOT_CONTEXT);
    expect(span.isRecording()).toBe(false);
    expect(traceHeaders(span).traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('runs work in a span', () => {
    expect(tracer.startActiveSpan('x', {}, contextFromHeaders({ traceparent }), (span) => traceHeaders(span))).toEqual({
      traceparent,
    });
    expect(tracer.startActiveSpan('x', (span) => span.isRecording())).toBe(false);
  });
});

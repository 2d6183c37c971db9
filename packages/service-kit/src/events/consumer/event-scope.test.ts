import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { currentScope } from '../../request-scope';
import type { EventDelivery } from './delivery';
import { HandlerTimeout, createEventScope } from './event-scope';

const delivery = {
  event: {
    id: 'event-id',
    type: 'identity.account.created',
    trace: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  },
} as unknown as EventDelivery;
const never = () => new Promise<never>(() => undefined);

describe('event scope', () => {
  const scopeWith = (timeoutMs: number, ending = new AbortController()) =>
    createEventScope('consumer', trace.getTracer('test'), timeoutMs, ending.signal);

  it('gives the handler a request scope of its own', async () => {
    const scope = scopeWith(1_000);
    const seen = await scope.attempt((signal) =>
      scope.handling(delivery, signal, async () => ({ scope: currentScope(), signal })),
    );
    expect(seen.scope).toMatchObject({ requestId: 'event-id', signal: seen.signal });
    expect(seen.scope?.span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it('appears in every sampled trace of a batch', async () => {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    const tracer = new BasicTracerProvider({ spanProcessors }).getTracer('test');
    const scope = createEventScope('consumer', tracer, 1_000, new AbortController().signal);
    const traced = (id: string, traceparent?: string) =>
      ({ event: { ...delivery.event, id, trace: { traceparent } } }) as EventDelivery;
    const parentOf = (digit: string, flags: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`;
    const batch = [
      traced('1', parentOf('a', '01')),
      traced('2', parentOf('b', '01')),
      traced('3', parentOf('c', '00')),
    ];
    const work = () => Promise.reject(new Error('no'));
    const handling = scope.attempt((signal) => scope.handlingAll([...batch, traced('4')], signal, work));
    await expect(handling).rejects.toThrow('no');
    const seen = exporter
      .getFinishedSpans()
      .map((span) => [
        ...[span.attributes['messaging.message.id'], span.parentSpanContext?.spanId, span.status.message],
      ]);
    expect(seen).toEqual([
      ['1', 'a'.repeat(16), 'no'],
      ['2', 'b'.repeat(16), 'no'],
    ]);
  });

  it('aborts a handler that does not end', async () => {
    const scope = scopeWith(5);
    await expect(scope.attempt((signal) => scope.handling(delivery, signal, never))).rejects.toThrow(HandlerTimeout);
  });

  it('does not begin a handler whose time is already over', async () => {
    const scope = scopeWith(1);
    const late = scope.attempt(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return scope.handling(delivery, signal, never);
    });
    await expect(late).rejects.toThrow(HandlerTimeout);
  });

  it('ends when the consumer must', async () => {
    const ending = new AbortController();
    const scope = scopeWith(60_000, ending);
    const handling = scope.attempt((signal) => scope.handling(delivery, signal, never));
    ending.abort(new Error('now'));
    await expect(handling).rejects.toThrow('now');
    await expect(scope.attempt(never)).rejects.toThrow('now');
  });
});

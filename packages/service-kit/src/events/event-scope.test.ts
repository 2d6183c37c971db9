import { trace } from '@opentelemetry/api';
import { currentScope } from '../request-scope';
import type { EventDelivery } from './delivery';
import { HandlerTimeout, createEventScope } from './event-scope';

const delivery = {
  event: {
    id: 'event-id',
    type: 'identity.account.created',
    trace: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  },
} as EventDelivery;
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

  it('ends a handler that does not end', async () => {
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

import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Span, Tracer } from '@opentelemetry/api';
import { runInScope } from '../../request-scope';
import { contextFromHeaders, sampledOnly } from '../../trace-context';
import type { EventDelivery } from './delivery';

export interface EventScope {
  /** Runs one attempt within the time limit; the signal also aborts when the consumer must end now. */
  attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Runs the handler in a span that continues the producer's trace and in a request scope for its logs, queries and RPCs. */
  handling<T>(delivery: EventDelivery, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Runs one handler for all events in the scope of the first; the other sampled traces get a span of it, too. */
  handlingAll<T>(deliveries: readonly EventDelivery[], signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export class HandlerTimeout extends Error {
  override readonly name = 'HandlerTimeout';
}

export function createEventScope(
  durable: string,
  tracer: Pick<Tracer, 'startSpan'>,
  timeoutMs: number,
  ending: AbortSignal,
): EventScope {
  const startSpan = ({ event }: EventDelivery): Span =>
    tracer.startSpan(
      `consume ${event.type}`,
      {
        kind: SpanKind.CONSUMER,
        attributes: { 'messaging.system': 'nats', 'messaging.message.id': event.id, 'sabia.consumer': durable },
      },
      contextFromHeaders(event.trace ?? {}),
    );

  async function handlingAll<T>(
    [first, ...others]: readonly EventDelivery[],
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const { event } = first!;
    const span = startSpan(first!);
    const spans = [span, ...others.filter((other) => sampledOnly(other.event.trace) !== undefined).map(startSpan)];
    try {
      return await runInScope({ requestId: event.id, signal, span, rpc: `consume ${event.type}` }, () =>
        orAbort(work, signal),
      );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      spans.forEach((each) => each.setStatus({ code: SpanStatusCode.ERROR, message }));
      throw error;
    } finally {
      spans.forEach((each) => each.end());
    }
  }

  return {
    async attempt(work) {
      ending.throwIfAborted();
      const controller = new AbortController();
      const { signal } = controller;
      const onEnding = (): void => controller.abort(ending.reason);
      const timer = setTimeout(() => controller.abort(new HandlerTimeout(`no end after ${timeoutMs} ms`)), timeoutMs);
      ending.addEventListener('abort', onEnding, { once: true });
      try {
        return await runInScope({ requestId: durable, signal }, () => work(signal));
      } finally {
        clearTimeout(timer);
        ending.removeEventListener('abort', onEnding);
      }
    },

    handling: (delivery, signal, work) => handlingAll([delivery], signal, work),
    handlingAll,
  };
}

/** Without it, a handler that never ends would block its lane for ever. */
function orAbort<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // A listener that is added after the abort is never called.
    signal.throwIfAborted();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

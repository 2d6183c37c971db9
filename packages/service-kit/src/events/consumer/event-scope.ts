import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Span, Tracer } from '@opentelemetry/api';
import { runInScope } from '../../request-scope';
import { contextFromHeaders, sampledOnly } from '../../trace-context';
import type { EventDelivery } from './delivery';

export interface EventScope {
  /** A time limit for one attempt; the signal also aborts when the consumer must end now. */
  attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** A span that continues the producer's trace, and a request scope for the logs, queries and calls of the handler. */
  handling<T>(delivery: EventDelivery, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** One handler for all of them, in the scope of the first; each of the others whose trace is kept finds it there, too. */
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

/** A handler that never ends would otherwise hold its lane for ever. */
function orAbort<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // An aborted signal emits no further event.
    signal.throwIfAborted();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

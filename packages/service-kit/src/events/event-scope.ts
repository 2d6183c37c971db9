import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { runInScope } from '../request-scope';
import { contextFromHeaders } from '../trace-context';
import type { EventDelivery } from './delivery';

export interface EventScope {
  /** A time limit for one attempt; the signal also aborts when the consumer must end now. */
  attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** A span that continues the producer's trace, and a request scope for the logs, queries and calls of the handler. */
  handling<T>(delivery: EventDelivery, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export class HandlerTimeout extends Error {
  override readonly name = 'HandlerTimeout';
}

export function createEventScope(durable: string, tracer: Tracer, timeoutMs: number, ending: AbortSignal): EventScope {
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

    async handling({ event }, signal, work) {
      const span = tracer.startSpan(
        `consume ${event.type}`,
        {
          kind: SpanKind.CONSUMER,
          attributes: { 'messaging.system': 'nats', 'messaging.message.id': event.id, 'sabia.consumer': durable },
        },
        contextFromHeaders(event.trace ?? {}),
      );
      try {
        return await runInScope({ requestId: event.id, signal, span, rpc: `consume ${event.type}` }, () =>
          orAbort(work, signal),
        );
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** A handler that never ends would otherwise hold its lane for ever. */
function orAbort<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // An aborted signal tells nobody any more.
    signal.throwIfAborted();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

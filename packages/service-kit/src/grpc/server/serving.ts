import { status } from '@grpc/grpc-js';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError, badRequest } from '../../errors';
import type { Logger } from '../../logging';
import { runInScope } from '../../request-scope';
import type { Telemetry } from '../../telemetry';
import { maximumResponseBytes } from '../channel-options';
import type { UntypedMethod } from '../definition';
import { Encoded } from '../handler';
import type { RpcContext, Handler } from '../handler';
import { readRpcContext } from '../rpc-headers';
import type { RpcHeaders } from '../rpc-headers';
import { endRpcSpan, rpcHistogram } from '../rpc-telemetry';
import { bareStatus, toGrpcStatus } from '../status';
import type { GrpcStatus } from '../status';

export interface ServedMethod {
  method: UntypedMethod;
  /** An RPC without a handler answers UNIMPLEMENTED. */
  handler: Handler<unknown, unknown> | undefined;
}

export interface IncomingRpc {
  served: ServedMethod;
  request: Buffer;
  headers: RpcHeaders;
  deadline: Date | undefined;
}

export interface Reply {
  succeeded(message: Buffer, replayed: boolean): void;
  failed(failure: GrpcStatus): void;
}

/** Ends an RPC without a response from its handler: nothing is sent any more, and the handler's signal aborts. */
export type Cancel = (code: status, why: string) => void;

export interface Serving {
  serve(rpc: IncomingRpc, reply: Reply): Cancel;
  running(): number;
  /** Resolves when every handler has ended, answered or not. */
  settled(): Promise<void>;
  /** Answers every running RPC with UNAVAILABLE and aborts its signal. */
  cancelAll(): void;
}

/** Runs handlers, with scope, cancellation, span, histogram, errors as statuses, and a log of unexpected errors. */
export function createServing({ log, telemetry }: { log: Logger; telemetry: Telemetry }): Serving {
  const durations = rpcHistogram(telemetry.meter, 'server');
  /** Functions that answer a running RPC with UNAVAILABLE. */
  const running = new Set<() => void>();
  const onIdle: (() => void)[] = [];

  function serve({ served, request, headers, deadline }: IncomingRpc, reply: Reply): Cancel {
    const { method, handler } = served;
    const startedAt = performance.now();
    const rpc = method.path.slice(1);
    const abort = new AbortController();
    const context = readRpcContext({ rpc, headers, deadline, signal: abort.signal, log, telemetry });
    let finished = false;

    const finish = (code: status): void => {
      finished = true;
      durations.record((performance.now() - startedAt) / 1000, rpc, code);
      endRpcSpan(context.span, code);
    };

    const cancel: Cancel = (code, why) => {
      if (!finished) {
        finish(code);
        abort.abort(new TransportError(code, why));
      }
    };

    const run = async (): Promise<void> => {
      try {
        const message = await handle(method, handler, request, context);
        const response = message instanceof Encoded ? message.bytes : method.responseSerialize(message);
        if (response.length > maximumResponseBytes) {
          throw new RangeError(`a response of ${response.length} bytes is too large to send`);
        }
        if (!finished) {
          finish(status.OK);
          reply.succeeded(response, context.replayed === true);
        }
      } catch (error) {
        if (finished) {
          log.debug({ err: error }, 'cancelled RPC ended');
          return;
        }
        const failure = toGrpcStatus(error);
        logFailure(log, error, failure.code);
        context.span?.recordException(error instanceof Error ? error : String(error));
        finish(failure.code);
        reply.failed(failure);
      } finally {
        running.delete(refuse);
        if (running.size === 0) {
          onIdle.splice(0).forEach((resolve) => resolve());
        }
      }
    };

    const refuse = (): void => {
      if (!finished) {
        reply.failed({ ...bareStatus(status.UNAVAILABLE), details: 'the server is stopping' });
        cancel(status.UNAVAILABLE, 'the server is stopping');
      }
    };
    running.add(refuse);
    void runInScope(context, run);
    return cancel;
  }

  return {
    serve,
    running: () => running.size,
    async settled() {
      if (running.size > 0) {
        await new Promise<void>((resolve) => onIdle.push(resolve));
      }
    },
    cancelAll() {
      running.forEach((refuse) => refuse());
    },
  };
}

function handle(
  method: UntypedMethod,
  handler: ServedMethod['handler'],
  bytes: Buffer,
  context: RpcContext,
): Promise<unknown> {
  let request: unknown;
  try {
    request = method.requestDeserialize(bytes);
  } catch (error) {
    context.log.warn({ err: error }, 'request could not be decoded');
    throw badRequest('INVALID_REQUEST', 'The request could not be decoded.');
  }
  if (handler === undefined) {
    throw new TransportError(status.UNIMPLEMENTED, 'not implemented');
  }
  return handler(request, context);
}

function logFailure(log: Logger, error: unknown, code: status): void {
  if (code === status.INTERNAL || code === status.UNKNOWN) {
    log.error({ err: error }, 'unexpected error');
  } else if (code === status.UNIMPLEMENTED) {
    log.debug('not implemented');
  } else if (error instanceof ServiceError && error.kind !== ErrorKind.UNAVAILABLE) {
    log.debug({ code: error.code }, error.message);
  } else {
    log.warn({ err: error, code: status[code] }, 'RPC failed');
  }
}

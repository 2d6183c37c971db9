import { status } from '@grpc/grpc-js';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError, badRequest } from '../../errors';
import type { Logger } from '../../logging';
import { runInScope } from '../../request-scope';
import type { Telemetry } from '../../telemetry';
import { readRpcContext } from './rpc-context';
import type { RpcHeaders } from '../rpc-headers';
import { maximumResponseBytes } from '../channel-options';
import type { UntypedMethod } from '../definition';
import { Encoded } from '../handler';
import type { RpcContext, Handler } from '../handler';
import { rpcHistogram } from '../rpc-metrics';
import { endRpcSpan } from '../rpc-span';
import { bareStatus, toGrpcStatus } from '../status';
import type { GrpcStatus } from '../status';

export interface ServedMethod {
  method: UntypedMethod;
  /** An rpc without one answers UNIMPLEMENTED. */
  handler: Handler<unknown, unknown> | undefined;
}

export interface IncomingRpc {
  served: ServedMethod;
  request: Buffer;
  headers: RpcHeaders;
  deadline: Date | undefined;
}

export interface Reply {
  answered(message: Buffer, replayed: boolean): void;
  failed(failure: GrpcStatus): void;
}

/** The call has ended some other way: nothing is replied any more, and the handler's signal aborts. */
export type Cancel = (code: status, why: string) => void;

export interface Serving {
  serve(call: IncomingRpc, reply: Reply): Cancel;
  running(): number;
  /** When every handler has come to its end, answered or not. */
  settled(): Promise<void>;
  /** Answers every running call with UNAVAILABLE and aborts its signal. */
  cancelAll(): void;
}

/** Everything around a handler: scope, cancellation, span, histogram, error to status, log of the unexpected. */
export function createServing({ log, telemetry }: { log: Logger; telemetry: Telemetry }): Serving {
  const durations = rpcHistogram(telemetry.meter, 'server');
  // Functions that cancel, one for each running call; a promise for each would cost more than all the rest of this file.
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

    const answer = async (): Promise<void> => {
      try {
        const message = await handle(method, handler, request, context);
        const response = message instanceof Encoded ? message.bytes : method.responseSerialize(message);
        if (response.length > maximumResponseBytes) {
          throw new RangeError(`an answer of ${response.length} bytes is too large to send`);
        }
        if (!finished) {
          finish(status.OK);
          reply.answered(response, context.replayed === true);
        }
      } catch (error) {
        if (finished) {
          log.debug({ err: error }, 'cancelled call ended');
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
    void runInScope(context, answer);
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
    log.warn({ err: error, code: status[code] }, 'call failed');
  }
}

import { Metadata, status } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { SpanStatusCode } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError, badRequest } from '../errors';
import type { Logger } from '../logging';
import { runInScope } from '../request-scope';
import type { Telemetry } from '../telemetry';
import { readCallContext } from './call-context';
import { maximumResponseBytes } from './channel-options';
import type { UntypedMethod } from './definition';
import { metadataKeys } from './metadata-keys';
import { rpcHistogram } from './rpc-metrics';
import { Encoded } from './handler';
import type { CallContext, Handler } from './handler';
import { toGrpcStatus } from './status';

export interface UnaryServing {
  register(server: Server, method: UntypedMethod, handler: Handler<unknown, unknown> | undefined): void;
  running(): number;
  /** When every handler has come to its end, answered or not. */
  settled(): Promise<void>;
  /** Answers every running call with UNAVAILABLE and aborts its signal. */
  cancelAll(): void;
}

/** A request whose bytes do not make a message; kept as a value so that it is answered and counted like any other call. */
class Undecodable {
  constructor(readonly reason: unknown) {}
}

// The timers of two machines, or of the two ends of one connection, do not go off in the same millisecond.
const DEADLINE_TOLERANCE_MS = 10;

/** Everything around a handler: scope, deadline, cancellation, span, histogram, error to status, log of the unexpected. */
export function createUnaryServing({ log, telemetry }: { log: Logger; telemetry: Telemetry }): UnaryServing {
  const durations = rpcHistogram(telemetry.meter, 'server');
  // Functions that cancel, one for each running call; a promise for each would cost more than all the rest of this file.
  const running = new Set<() => void>();
  const onIdle: (() => void)[] = [];

  function serve(
    method: UntypedMethod,
    handler: Handler<unknown, unknown> | undefined,
    call: ServerUnaryCall<unknown, Buffer>,
    callback: sendUnaryData<Buffer>,
  ): void {
    const startedAt = performance.now();
    const rpc = method.path.slice(1);
    const abort = new AbortController();
    const context = readCallContext({ rpc, call, signal: abort.signal, log, telemetry });
    let finished = false;

    const finish = (code: status): void => {
      finished = true;
      durations.record((performance.now() - startedAt) / 1000, rpc, code);
      endSpan(context.span, code);
    };

    const cancel = (code: status, why: string): void => {
      if (!finished) {
        finish(code);
        abort.abort(new TransportError(code, why));
      }
    };

    // grpc-js says "cancelled" in three cases: the client has gone, the deadline has passed, and the answer is sent.
    call.on('cancelled', () => {
      if (context.deadline !== undefined && Date.now() >= context.deadline.getTime() - DEADLINE_TOLERANCE_MS) {
        cancel(status.DEADLINE_EXCEEDED, 'the deadline has passed');
      } else {
        cancel(status.CANCELLED, 'the client has gone');
      }
    });

    const answer = async (): Promise<void> => {
      try {
        const message = await handle(call.request, handler, context);
        const response = message instanceof Encoded ? message.bytes : method.responseSerialize(message);
        if (response.length > maximumResponseBytes) {
          throw new RangeError(`an answer of ${response.length} bytes is too large to send`);
        }
        if (!finished) {
          finish(status.OK);
          callback(null, response, context.replayed === true ? replayedTrailer() : undefined);
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
        callback(failure);
      } finally {
        running.delete(refuse);
        if (running.size === 0) {
          onIdle.splice(0).forEach((resolve) => resolve());
        }
      }
    };

    const refuse = (): void => {
      if (!finished) {
        callback({ code: status.UNAVAILABLE, details: 'the server is stopping' });
        cancel(status.UNAVAILABLE, 'the server is stopping');
      }
    };
    running.add(refuse);
    void runInScope(context, answer);
  }

  return {
    register(server, method, handler) {
      server.register(
        method.path,
        (call: ServerUnaryCall<unknown, Buffer>, callback: sendUnaryData<Buffer>) =>
          serve(method, handler, call, callback),
        // Answers are encoded in serve(), where a message that cannot be encoded is logged and answered like any other bug.
        (bytes: Buffer) => bytes,
        (bytes) => {
          try {
            return method.requestDeserialize(bytes);
          } catch (error) {
            return new Undecodable(error);
          }
        },
        'unary',
      );
    },
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
  request: unknown,
  handler: Handler<unknown, unknown> | undefined,
  context: CallContext,
): Promise<unknown> {
  if (request instanceof Undecodable) {
    context.log.warn({ err: request.reason }, 'request could not be decoded');
    throw badRequest('INVALID_REQUEST', 'The request could not be decoded.');
  }
  if (handler === undefined) {
    throw new TransportError(status.UNIMPLEMENTED, 'not implemented');
  }
  return handler(request, context);
}

function replayedTrailer(): Metadata {
  const trailer = new Metadata();
  trailer.set(metadataKeys.replayed, 'true');
  return trailer;
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

function endSpan(span: Span | undefined, code: status): void {
  if (span === undefined) {
    return;
  }
  span.setAttribute('rpc.grpc.status_code', code);
  if (code !== status.OK) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: status[code] });
  }
  span.end();
}

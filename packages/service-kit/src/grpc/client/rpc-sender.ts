import { status } from '@grpc/grpc-js';
import type { Client, ServiceError as GrpcError } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';
import { TransportError } from '../../errors';
import { currentScope } from '../../request-scope';
import type { RequestScope } from '../../request-scope';
import type { Telemetry } from '../../telemetry';
import { contextOfSpan } from '../../trace-context';
import type { UntypedMethod } from '../definition';
import { createMultiplexTransport } from '../multiplex/transport';
import { rpcHeaders } from '../rpc-headers';
import { endRpcSpan, rpcHistogram } from '../rpc-telemetry';
import { grpcError, toRpcError } from '../status';
import { createUnaryTransport } from './unary';

export interface RpcOptions {
  /** Overrides the client's default; the deadline of the request that is being served still applies. */
  timeoutMs?: number;
  /** Replaces the current request's scope, for RPCs made outside a request. */
  scope?: RequestScope;
  /** How long to wait for a connection while there is none. */
  patienceMs?: number;
  /** Called before the promise resolves, when the response repeats that of an earlier request with the same idempotency key. */
  onReplayed?: () => void;
  /** Whether the service recognises a repetition, because it keeps the request's idempotency key: the RPC may be sent again. */
  repeatable?: boolean;
  /** Whether the RPC keeps off the streams that many RPCs share. */
  plain?: boolean;
}

export interface RpcSender {
  send: (method: UntypedMethod, request: unknown, options?: RpcOptions) => Promise<unknown>;
  /** RPCs under way may still end. */
  close: () => void;
}

export interface RpcSenderOptions {
  defaultTimeoutMs?: number;
  telemetry?: Telemetry;
  /** Whether the RPC of this path may be sent again; the channel's service config says the same. */
  isIdempotent: (path: string) => boolean;
  /** Breaks the connections to a replica. */
  cut: (peer: string) => void;
}

const spanOptions = { kind: SpanKind.CLIENT, attributes: { 'rpc.system': 'grpc' } };
const DEFAULT_TIMEOUT_MS = 10_000;
// Longer than the pause before an address may be resolved again.
const PATIENCE_MS = 1_500;
const noMessage = Buffer.alloc(0);

/** Sends every RPC of this process, also those of the gateway, which learns its methods only at run time. */
export function createRpcSender(client: Client, options: RpcSenderOptions): RpcSender {
  const { defaultTimeoutMs = DEFAULT_TIMEOUT_MS, telemetry, isIdempotent, cut } = options;
  const durations = telemetry && rpcHistogram(telemetry.meter, 'client');
  const plain = createUnaryTransport(client);
  const multiplexed = createMultiplexTransport(client, { plain, isIdempotent, cut });

  function send(method: UntypedMethod, request: unknown, rpcOptions: RpcOptions = {}): Promise<unknown> {
    const { path } = method;
    const { onReplayed, repeatable = false, patienceMs = PATIENCE_MS, timeoutMs = defaultTimeoutMs } = rpcOptions;
    const scope = rpcOptions.scope ?? currentScope();
    const signal = scope?.signal;
    if (signal?.aborted) {
      return Promise.reject(abortReason(signal));
    }
    const startedAt = performance.now();
    const rpc = path.slice(1);
    const span = telemetry?.tracer.startSpan(rpc, spanOptions, contextOfSpan(scope?.span));
    const headers = rpcHeaders(scope, span);
    const deadline = Math.min(Date.now() + timeoutMs, scope?.deadline?.getTime() ?? Infinity);

    return new Promise((resolve, reject) => {
      let cancel: (() => void) | undefined;
      const onAbort = (): void => cancel?.();

      const done = (failure: GrpcError | null, message: Buffer): void => {
        signal?.removeEventListener('abort', onAbort);
        const { error, response } = failure === null ? decode(method, message) : { error: failure };
        const code = error?.code ?? status.OK;
        durations?.record((performance.now() - startedAt) / 1000, rpc, code);
        endRpcSpan(span, code);
        if (error === undefined) {
          resolve(response);
        } else if (signal?.aborted) {
          reject(abortReason(signal));
        } else {
          reject(toRpcError(error));
        }
      };

      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        const message = method.requestSerialize(request);
        const transport = rpcOptions.plain === true ? plain : multiplexed;
        cancel = transport.send({ path, message, headers, deadline, patienceMs, repeatable, onReplayed }, done);
      } catch (error) {
        done(grpcError(status.INTERNAL, `the request could not be encoded: ${String(error)}`), noMessage);
      }
    });
  }

  return { send, close: () => multiplexed.close() };
}

function decode(method: UntypedMethod, message: Buffer): { error?: GrpcError; response?: unknown } {
  try {
    return { response: method.responseDeserialize(message) };
  } catch (error) {
    return { error: grpcError(status.INTERNAL, `the response could not be decoded: ${String(error)}`) };
  }
}

function abortReason(signal: AbortSignal): Error {
  const { reason } = signal as { reason: unknown };
  return reason instanceof TransportError
    ? reason
    : new TransportError(status.CANCELLED, 'the RPC was cancelled', reason);
}

import { status } from '@grpc/grpc-js';
import type { Client, ServiceError as GrpcError } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';
import { TransportError } from '../../errors';
import { currentScope } from '../../request-scope';
import type { RequestScope } from '../../request-scope';
import type { Telemetry } from '../../telemetry';
import { contextOfSpan } from '../../trace-context';
import { rpcHeaders } from '../rpc-headers';
import type { Link, LinkedResponse } from '../multiplex/link';
import { createLinks } from '../multiplex/links';
import type { UntypedMethod } from '../definition';
import { rpcHistogram } from '../rpc-metrics';
import { endRpcSpan } from '../rpc-span';
import { grpcError, toRpcError } from '../status';
import { sendUnary } from './unary';

export interface RpcOptions {
  /** Instead of the client's default; the request's own deadline still bounds it. */
  timeoutMs?: number;
  /** Instead of the current request's, for calls made outside of one. */
  scope?: RequestScope;
  /** How long to wait for a connection when there is none. */
  patienceMs?: number;
  /** The answer is that of an earlier request with the same idempotency key. Called before the answer is given. */
  onReplayed?: () => void;
  /** Not over a stream that it shares with other calls. */
  apart?: boolean;
}

export interface RpcSender {
  call(method: UntypedMethod, request: unknown, options?: RpcOptions): Promise<unknown>;
  /** What is under way may still end. */
  close(): void;
}

export interface RpcSenderOptions {
  defaultTimeoutMs?: number;
  telemetry?: Telemetry;
  /** Whether the rpc of this path may be tried again; the client's service config says the same. */
  isIdempotent: (path: string) => boolean;
}

const spanOptions = { kind: SpanKind.CLIENT, attributes: { 'rpc.system': 'grpc' } };
const DEFAULT_TIMEOUT_MS = 10_000;
/** setTimeout() takes no more. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
// Longer than it takes until the address may be looked up again.
const PATIENCE_MS = 1_500;
/** Larger requests are seldom, and would keep the others waiting. */
const LARGEST_LINKED_BYTES = 256 * 1024;

/** The one way out: also under the gateway's client, which knows its methods only at run time. */
export function createRpcSender(client: Client, options: RpcSenderOptions): RpcSender {
  const { defaultTimeoutMs = DEFAULT_TIMEOUT_MS, telemetry, isIdempotent } = options;
  const durations = telemetry && rpcHistogram(telemetry.meter, 'client');
  const links = createLinks(client);

  function call(method: UntypedMethod, request: unknown, callOptions: RpcOptions = {}): Promise<unknown> {
    const { path } = method;
    const { onReplayed, patienceMs = PATIENCE_MS, timeoutMs = defaultTimeoutMs, apart = false } = callOptions;
    const scope = callOptions.scope ?? currentScope();
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

      const finish = (failure: GrpcError | null, message: Buffer): void => {
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

      const alone = (message: Buffer): void => {
        cancel = sendUnary(client, { path, message, headers, deadline, patienceMs, onReplayed }, finish);
      };

      const linked = (link: Link, message: Buffer, timeoutMs: number): void => {
        cancel = link.send({ path, message, timeoutMs, ...headers }, (answer) => {
          if (signal?.aborted !== true && mayGoAgain(answer, path)) {
            alone(message);
          } else if (answer.code === (status.OK as number)) {
            if (answer.replayed) onReplayed?.();
            finish(null, answer.message);
          } else {
            finish(grpcError(answer.code, answer.details, answer.statusDetails), nothing);
          }
        });
      };

      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        const message = method.requestSerialize(request);
        const link = apart || message.length > LARGEST_LINKED_BYTES ? undefined : links.pick();
        const remainingMs = Math.min(Math.ceil(deadline - Date.now()), LONGEST_TIMEOUT_MS);
        if (link === undefined || remainingMs < 1) {
          alone(message);
        } else {
          linked(link, message, remainingMs);
        }
      } catch (error) {
        finish(grpcError(status.INTERNAL, `the request could not be encoded: ${String(error)}`), nothing);
      }
    });
  }

  /** As a call of its own, which by the service config may then be tried several times. */
  const mayGoAgain = ({ code, broken }: LinkedResponse, path: string): boolean =>
    broken === 'unsent' || (code === (status.UNAVAILABLE as number) && isIdempotent(path));

  return { call, close: () => links.close() };
}

const nothing = Buffer.alloc(0);

function decode(method: UntypedMethod, message: Buffer): { error?: GrpcError; response?: unknown } {
  try {
    return { response: method.responseDeserialize(message) };
  } catch (error) {
    return { error: grpcError(status.INTERNAL, `the answer could not be decoded: ${String(error)}`) };
  }
}

function abortReason(signal: AbortSignal): Error {
  const { reason } = signal as { reason: unknown };
  return reason instanceof TransportError
    ? reason
    : new TransportError(status.CANCELLED, 'the call was cancelled', reason);
}

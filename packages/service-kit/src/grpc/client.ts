import { Client, credentials, status } from '@grpc/grpc-js';
import type { ChannelOptions, ClientUnaryCall, ServiceError as GrpcError } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { TransportError } from '../errors';
import { currentScope } from '../request-scope';
import type { RequestScope } from '../request-scope';
import type { Telemetry } from '../telemetry';
import { contextOfSpan } from '../trace-context';
import { callMetadata } from './call-metadata';
import { clientChannelOptions, splitPath } from './channel-options';
import type { MethodPolicy } from './channel-options';
import { methodsOf } from './definition';
import type { RequestOf, ResponseOf, UntypedMethod } from './definition';
import { healthDefinition } from './health-definition';
import { metadataKeys } from './metadata-keys';
import { rpcHistogram } from './rpc-metrics';
import { toCallError } from './status';

export interface CallOptions {
  /** Instead of the client's default; the request's own deadline still bounds it. */
  timeoutMs?: number;
  /** Instead of the current request's, for calls made outside of one. */
  scope?: RequestScope;
  /** How long to wait for a connection when there is none. */
  patienceMs?: number;
  /** The answer is that of an earlier request with the same idempotency key. Called before the answer is given. */
  onReplayed?: () => void;
}

export interface GrpcClientOptions<D> {
  /** 'host:port', 'dns:///host:port' or 'ipv4:127.0.0.1:1,127.0.0.1:2'. */
  address: string;
  /** Only these are tried again, and only on UNAVAILABLE. */
  idempotentMethods?: readonly (keyof D)[];
  defaultTimeoutMs?: number;
  telemetry?: Telemetry;
  channelOptions?: ChannelOptions;
}

export type ClientOf<D> = {
  [Method in keyof D]: (request: RequestOf<D[Method]>, options?: CallOptions) => Promise<ResponseOf<D[Method]>>;
};

export interface ClientControls {
  close(): void;
  /** Whether the server says that it, or one of its named parts, is serving. An absent server is not. */
  checkHealth(name?: string, timeoutMs?: number): Promise<boolean>;
}

const spanOptions = { kind: SpanKind.CLIENT, attributes: { 'rpc.system': 'grpc' } };

const DEFAULT_TIMEOUT_MS = 10_000;
const HEALTH_TIMEOUT_MS = 2_000;
const MAXIMUM_REFUSALS = 5;
// Longer than it takes until the address may be looked up again.
const PATIENCE_MS = 1_500;
const PAUSE_MS = 50;

/** Rejects with the service's own ServiceError, or with a TransportError that carries the gRPC code. */
export function createGrpcClient<D extends object>(
  definition: D,
  options: GrpcClientOptions<D>,
): ClientOf<D> & ClientControls {
  const methods = methodsOf(definition);
  const idempotent = new Set<PropertyKey>(options.idempotentMethods ?? []);
  const policies: MethodPolicy[] = methods.map(([name, method]) => ({
    ...splitPath(method.path),
    idempotent: idempotent.has(name),
  }));
  const client = new Client(options.address, credentials.createInsecure(), {
    ...clientChannelOptions(policies),
    ...options.channelOptions,
  });
  const calls = createUnaryCalls(client, options);
  const unary = Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (request: unknown, callOptions?: CallOptions) => calls.call(method, request, callOptions),
    ]),
  );

  const controls: ClientControls = {
    close() {
      client.close();
    },
    async checkHealth(name = '', timeoutMs = HEALTH_TIMEOUT_MS) {
      try {
        const check = healthDefinition.Check as unknown as UntypedMethod;
        const answer = await calls.call(check, { service: name }, { timeoutMs, patienceMs: 0 });
        return (answer as { status: string }).status === 'SERVING';
      } catch {
        return false;
      }
    },
  };
  return { ...(unary as ClientOf<D>), ...controls };
}

export interface UnaryCalls {
  call(method: UntypedMethod, request: unknown, options?: CallOptions): Promise<unknown>;
}

/** The one way out: also under the gateway's client, which knows its methods only at run time. */
export function createUnaryCalls(
  client: Client,
  { defaultTimeoutMs = DEFAULT_TIMEOUT_MS, telemetry }: { defaultTimeoutMs?: number; telemetry?: Telemetry },
): UnaryCalls {
  const durations = telemetry && rpcHistogram(telemetry.meter, 'client');

  function call(method: UntypedMethod, request: unknown, options: CallOptions = {}): Promise<unknown> {
    const scope = options.scope ?? currentScope();
    const { onReplayed, patienceMs = PATIENCE_MS } = options;
    const signal = scope?.signal;
    if (signal?.aborted) {
      return Promise.reject(abortReason(signal));
    }
    const startedAt = performance.now();
    const rpc = method.path.slice(1);
    const span = telemetry?.tracer.startSpan(rpc, spanOptions, contextOfSpan(scope?.span));
    const deadline = Math.min(
      Date.now() + (options.timeoutMs ?? defaultTimeoutMs),
      scope?.deadline?.getTime() ?? Infinity,
    );

    return new Promise((resolve, reject) => {
      const finish = (error: GrpcError | null, response?: unknown): void => {
        signal?.removeEventListener('abort', cancel);
        const code = error?.code ?? status.OK;
        durations?.record((performance.now() - startedAt) / 1000, rpc, code);
        if (span !== undefined) {
          span.setAttribute('rpc.grpc.status_code', code);
          if (error !== null) {
            span.setStatus({ code: SpanStatusCode.ERROR, message: status[code] });
          }
          span.end();
        }
        if (error === null) {
          resolve(response);
        } else if (signal?.aborted) {
          reject(abortReason(signal));
        } else {
          reject(toCallError(error));
        }
      };
      const metadata = callMetadata(scope, span);
      let outgoing: ClientUnaryCall;
      const attempt = (refusals: number): void => {
        outgoing = client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          metadata,
          { deadline },
          (error, response) => {
            if (error === null || signal?.aborted === true) {
              finish(error, response);
            } else if (refusals < MAXIMUM_REFUSALS && wasRefused(error)) {
              attempt(refusals + 1);
            } else if (performance.now() - startedAt < patienceMs && wasNeverSent(error)) {
              setTimeout(() => (signal?.aborted === true ? finish(error) : attempt(refusals)), PAUSE_MS);
            } else {
              finish(error, response);
            }
          },
        );
        if (onReplayed !== undefined) {
          outgoing.on('status', ({ metadata: trailer }) => {
            if (trailer.get(metadataKeys.replayed).length > 0) onReplayed();
          });
        }
      };
      const cancel = (): void => outgoing.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      attempt(0);
    });
  }

  return { call };
}

/**
 * HTTP/2 REFUSED_STREAM: the server has not looked at the request, so that any rpc may be sent again. It comes from a
 * connection that has reached its age or whose server is stopping; grpc-js itself sends again only once, which is too little
 * when the next connection has come of age in the same moment.
 */
function wasRefused(error: GrpcError): boolean {
  return error.code === status.UNAVAILABLE && error.details === 'Stream refused by server';
}

/**
 * No replica was connected: the last one that was known has gone, and its heir is being looked up. The request has not left this
 * process, so that any rpc may wait for it.
 */
function wasNeverSent({ code, details }: GrpcError): boolean {
  return (
    code === status.UNAVAILABLE &&
    /^(round_robin: No connection|No addresses resolved|Name resolution failed)/.test(details)
  );
}

function abortReason(signal: AbortSignal): Error {
  const { reason } = signal as { reason: unknown };
  return reason instanceof TransportError
    ? reason
    : new TransportError(status.CANCELLED, 'the call was cancelled', reason);
}

import type { RpcOptions } from './client/rpc-sender';
import { splitPath } from './channel-options';
import { connectService } from './client/connection';
import type { ConnectionOptions } from './client/connection';
import { methodsOf } from './definition';
import type { RequestOf, ResponseOf } from './definition';

export type { RpcOptions } from './client/rpc-sender';

export interface GrpcClientOptions<D> extends ConnectionOptions {
  /** Only these are tried again, and only on UNAVAILABLE. */
  idempotentMethods?: readonly (keyof D)[];
}

export type ClientOf<D> = {
  [Method in keyof D]: (request: RequestOf<D[Method]>, options?: RpcOptions) => Promise<ResponseOf<D[Method]>>;
};

export interface ClientControls {
  close(): void;
  /** Whether the server says that it, or one of its named parts, is serving. An absent server is not. */
  checkHealth(name?: string, timeoutMs?: number): Promise<boolean>;
}

const HEALTH_TIMEOUT_MS = 2_000;

/** Rejects with the service's own ServiceError, or with a TransportError that carries the gRPC code. */
export function createGrpcClient<D extends object>(
  definition: D,
  { idempotentMethods = [], ...options }: GrpcClientOptions<D>,
): ClientOf<D> & ClientControls {
  const methods = methodsOf(definition);
  const idempotent = new Set<PropertyKey>(idempotentMethods);
  const policies = methods.map(([name, { path }]) => ({ ...splitPath(path), idempotent: idempotent.has(name) }));
  const connection = connectService(policies, options);
  const rpcs = Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (request: unknown, callOptions?: RpcOptions) => connection.call(method, request, callOptions),
    ]),
  );
  const controls: ClientControls = {
    close: () => connection.close(),
    checkHealth: (name = '', timeoutMs = HEALTH_TIMEOUT_MS) => connection.isServing(name, timeoutMs),
  };
  return { ...(rpcs as ClientOf<D>), ...controls };
}

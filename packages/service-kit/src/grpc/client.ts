import { Client } from '@grpc/grpc-js';
import type { ChannelOptions } from '@grpc/grpc-js';
import { HealthCheckResponse_ServingStatus, HealthService } from '@sabia/protos/grpc/health/v1/health';
import type { HealthCheckResponse } from '@sabia/protos/grpc/health/v1/health';
import { clientChannelOptions } from './channel-options';
import type { MethodPolicy } from './channel-options';
import { trackConnections } from './client/connections';
import { createRpcSender } from './client/rpc-sender';
import type { RpcOptions, RpcSender, RpcSenderOptions } from './client/rpc-sender';
import { methodsOf, splitPath } from './definition';
import type { RequestOf, ResponseOf, UntypedMethod } from './definition';

export type { RpcOptions } from './client/rpc-sender';

export interface ConnectionOptions extends Omit<RpcSenderOptions, 'isIdempotent' | 'cut'> {
  /** 'host:port', 'dns:///host:port' or 'ipv4:127.0.0.1:1,127.0.0.1:2'. */
  address: string;
  channelOptions?: ChannelOptions;
}

export interface GrpcClientOptions<D> extends ConnectionOptions {
  /** Only these are retried, and only on UNAVAILABLE. */
  idempotentMethods?: readonly (keyof D)[];
}

export type ClientOf<D> = {
  [Method in keyof D]: (request: RequestOf<D[Method]>, options?: RpcOptions) => Promise<ResponseOf<D[Method]>>;
};

export interface HealthProbe {
  /** Whether the server reports that it, or its part of that name, is serving; false when it cannot be reached. */
  checkHealth: (name?: string, timeoutMs?: number) => Promise<boolean>;
}

export interface ClientControls extends HealthProbe {
  close: () => void;
}

export interface Connection extends RpcSender, HealthProbe {}

const HEALTH_TIMEOUT_MS = 2_000;
const healthCheck = HealthService.check as unknown as UntypedMethod;

/** Typed methods of one service. They reject with the service's own ServiceError, or with a TransportError that carries the gRPC code. */
export function createGrpcClient<D extends object>(
  definition: D,
  { idempotentMethods = [], ...options }: GrpcClientOptions<D>,
): ClientOf<D> & ClientControls {
  const methods = methodsOf(definition);
  const idempotent = new Set<PropertyKey>(idempotentMethods);
  const policies = methods.map(([name, { path }]) => ({ ...splitPath(path), idempotent: idempotent.has(name) }));
  const { send, close, checkHealth } = connectService(policies, options);
  const rpcs = Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (request: unknown, rpcOptions?: RpcOptions) => send(method, request, rpcOptions),
    ]),
  );
  return { ...(rpcs as ClientOf<D>), close, checkHealth };
}

/** A connection to all replicas of one service, for the life of the process. */
export function connectService(policies: readonly MethodPolicy[], options: ConnectionOptions): Connection {
  const connections = trackConnections();
  const client = new Client(options.address, connections.credentials, {
    ...clientChannelOptions(policies),
    ...options.channelOptions,
  });
  const idempotent = new Set(
    policies.filter((policy) => policy.idempotent).map(({ service, method }) => `/${service}/${method}`),
  );
  const sender = createRpcSender(client, {
    ...options,
    isIdempotent: (path) => idempotent.has(path),
    cut: (peer) => connections.cut(peer),
  });
  return {
    send: sender.send,
    async checkHealth(name = '', timeoutMs = HEALTH_TIMEOUT_MS) {
      try {
        // A shared stream would say nothing about new connections.
        const rpcOptions = { timeoutMs, patienceMs: 0, plain: true };
        const response = (await sender.send(healthCheck, { service: name }, rpcOptions)) as HealthCheckResponse;
        return response.status === HealthCheckResponse_ServingStatus.SERVING;
      } catch {
        return false;
      }
    },
    close() {
      sender.close();
      client.close();
    },
  };
}

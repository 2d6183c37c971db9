import { connectService } from '@sabia/service-kit/grpc/client';
import type { RpcOptions } from '@sabia/service-kit/grpc/client';
import type { UntypedMethod } from '@sabia/service-kit/grpc/definition';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import type { Contract } from '../contract/contract';

/** Sends one rpc, known by its path. Requests and responses are bytes: the transcoder encodes and decodes them. */
export type SendRpc = (request: Buffer, scope: RequestScope, options?: Omit<RpcOptions, 'scope'>) => Promise<Buffer>;

export interface ServiceClient {
  method(path: string): SendRpc;
  isServing(timeoutMs: number): Promise<boolean>;
  close(): void;
}

const asIs = (bytes: unknown): Buffer => bytes as Buffer;

/** Opens one connection per service for the life of the process. */
export function createServiceClients(
  contract: Contract,
  addresses: Readonly<Record<string, string>>,
  options: { telemetry: Telemetry; timeoutMs: number },
): Map<string, ServiceClient> {
  return new Map(
    contract.serviceNames.map((name) => {
      const address = addresses[name];
      if (address === undefined) {
        throw new Error(`no address is configured for the service "${name}"`);
      }
      return [name, createServiceClient(contract, name, address, options)];
    }),
  );
}

function createServiceClient(
  contract: Contract,
  name: string,
  address: string,
  { telemetry, timeoutMs }: { telemetry: Telemetry; timeoutMs: number },
): ServiceClient {
  const policies = contract.rpcs.filter(({ serviceName }) => serviceName === name);
  const connection = connectService(policies, { address, telemetry, defaultTimeoutMs: timeoutMs });
  return {
    method(path) {
      const method: UntypedMethod = {
        path,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      };
      return (request, scope, options) => connection.send(method, request, { ...options, scope }) as Promise<Buffer>;
    },
    isServing: (limitMs) => connection.checkHealth('', limitMs),
    close: () => connection.close(),
  };
}

import { Client, credentials } from '@grpc/grpc-js';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import { createUnaryCalls } from '@sabia/service-kit/grpc/client';
import type { CallOptions } from '@sabia/service-kit/grpc/client';
import { clientChannelOptions } from '@sabia/service-kit/grpc/channel-options';
import type { UntypedMethod } from '@sabia/service-kit/grpc/definition';
import { healthDefinition } from '@sabia/service-kit/grpc/health';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import type { Contract } from '../transcoder/contract';

/** A method known only by its path; requests and responses are bytes, since the transcoder has the codecs. */
export type Call = (request: Buffer, scope: RequestScope, options?: Omit<CallOptions, 'scope'>) => Promise<Buffer>;

export interface ServiceClient {
  method(path: string): Call;
  isServing(timeoutMs: number): Promise<boolean>;
  close(): void;
}

// A page of a thousand records, each with 16 KiB of metadata, and room to spare.
const LARGEST_ANSWER_BYTES = 32 * 1024 * 1024;

const asIs = (bytes: unknown): Buffer => bytes as Buffer;

/** One channel per service for the life of the process. */
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
  const client = new Client(address, credentials.createInsecure(), {
    ...clientChannelOptions(policies),
    'grpc.max_receive_message_length': LARGEST_ANSWER_BYTES,
  });
  const calls = createUnaryCalls(client, { defaultTimeoutMs: timeoutMs, telemetry });
  const check = healthDefinition.Check as unknown as UntypedMethod;

  return {
    method(path) {
      const method: UntypedMethod = {
        path,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      };
      return (request, scope, options) => calls.call(method, request, { ...options, scope }) as Promise<Buffer>;
    },
    async isServing(limitMs) {
      try {
        const answer = (await calls.call(check, { service: '' }, { timeoutMs: limitMs, patienceMs: 0 })) as {
          status: string;
        };
        return answer.status === 'SERVING';
      } catch {
        return false;
      }
    },
    close() {
      client.close();
    },
  };
}

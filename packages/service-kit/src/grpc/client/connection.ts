import { Client, credentials } from '@grpc/grpc-js';
import type { ChannelOptions } from '@grpc/grpc-js';
import { createRpcSender } from './rpc-sender';
import type { RpcSender, RpcSenderOptions } from './rpc-sender';
import { clientChannelOptions } from '../channel-options';
import type { MethodPolicy } from '../channel-options';
import type { UntypedMethod } from '../definition';
import { healthDefinition } from '../server/health-definition';

export interface ConnectionOptions extends Omit<RpcSenderOptions, 'isIdempotent'> {
  /** 'host:port', 'dns:///host:port' or 'ipv4:127.0.0.1:1,127.0.0.1:2'. */
  address: string;
  channelOptions?: ChannelOptions;
}

export interface Connection extends RpcSender {
  /** Whether the server says that it, or one of its named parts, is serving. An absent server is not. */
  isServing(name: string, timeoutMs: number): Promise<boolean>;
}

const healthCheck = healthDefinition.Check as unknown as UntypedMethod;

/** To all replicas of one service, for the life of the process. */
export function connectService(policies: readonly MethodPolicy[], options: ConnectionOptions): Connection {
  const client = new Client(options.address, credentials.createInsecure(), {
    ...clientChannelOptions(policies),
    ...options.channelOptions,
  });
  const idempotent = new Set(
    policies.filter((policy) => policy.idempotent).map(({ service, method }) => `/${service}/${method}`),
  );
  const calls = createRpcSender(client, { ...options, isIdempotent: (path) => idempotent.has(path) });
  return {
    call: (method, request, callOptions) => calls.call(method, request, callOptions),
    async isServing(name, timeoutMs) {
      try {
        const asked = { timeoutMs, patienceMs: 0, apart: true };
        const answer = (await calls.call(healthCheck, { service: name }, asked)) as { status: string };
        return answer.status === 'SERVING';
      } catch {
        return false;
      }
    },
    close() {
      calls.close();
      client.close();
    },
  };
}

import type { ChannelOptions } from '@grpc/grpc-js';

export interface MethodPolicy {
  /** Full name, e.g. "sabia.identity.v1.IdentityService". */
  service: string;
  /** As in the proto, e.g. "Login". */
  method: string;
  idempotent: boolean;
}

/** What a connection may be given at most. */
export const oldestConnectionMs = 40_000;
/** Longer than a stream of calls lives, and the last of its calls after it: an old connection never cuts a running call. */
const graceMs = 45_000;

const MEBIBYTE = 1024 * 1024;
export const maximumRequestBytes = 4 * MEBIBYTE;
/** A page of a thousand records, each with 16 KiB of metadata, and room to spare. */
export const maximumResponseBytes = 32 * MEBIBYTE;
/** The largest answer, with others that share its message. */
const MAXIMUM_MESSAGE_BYTES = maximumResponseBytes + MEBIBYTE;

/** HTTP/2 begins with 64 KiB for all calls of a connection together: three pages of a list, and everybody waits for a round trip. */
const FLOW_CONTROL_WINDOW_BYTES = 4 * MEBIBYTE;

/** RPCs are spread over every address; only what may safely be done twice is tried again, and only when nobody answered. */
export function serviceConfig(methods: readonly MethodPolicy[]): string {
  const idempotent = methods.filter((method) => method.idempotent);
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig:
      idempotent.length === 0
        ? []
        : [
            {
              name: idempotent.map(({ service, method }) => ({ service, method })),
              retryPolicy: {
                maxAttempts: 4,
                initialBackoff: '0.05s',
                maxBackoff: '1s',
                backoffMultiplier: 3,
                retryableStatusCodes: ['UNAVAILABLE'],
              },
            },
          ],
    // When most calls fail, trying again only adds load.
    retryThrottling: { maxTokens: 100, tokenRatio: 0.5 },
  });
}

export function clientChannelOptions(methods: readonly MethodPolicy[]): ChannelOptions {
  return {
    'grpc.service_config': serviceConfig(methods),
    // The policy is ours, not something to look up in DNS on every resolution.
    'grpc.service_config_disable_resolution': 1,
    // grpc-js cuts a connection that is closing at its next ping, whatever still runs on it: so none comes before it is gone. (A replica
    // that has fallen silent is left by the first call that hears nothing from it.)
    'grpc.keepalive_time_ms': oldestConnectionMs + graceMs + 5_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.keepalive_permit_without_calls': 1,
    // The defaults back off up to two minutes: too long for a service that restarts in one second.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // When replicas leave one after the other, their heirs must be known before the last of them has gone.
    'grpc.dns_min_time_between_resolutions_ms': 500,
    'grpc.max_receive_message_length': MAXIMUM_MESSAGE_BYTES,
    'grpc.max_send_message_length': maximumRequestBytes,
    'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
    'grpc.enable_retries': 1,
    // Services talk to each other directly, whatever http_proxy says.
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
  };
}

export function serverChannelOptions(maxConnectionAgeMs: number): ChannelOptions {
  return {
    // A client that must reconnect resolves again, and so finds the replicas that were added meanwhile.
    'grpc.max_connection_age_ms': maxConnectionAgeMs,
    'grpc.max_connection_age_grace_ms': graceMs,
    'grpc.max_receive_message_length': maximumRequestBytes,
    'grpc.max_send_message_length': MAXIMUM_MESSAGE_BYTES,
    'grpc.enable_channelz': 0,
  };
}

/** "/sabia.identity.v1.IdentityService/Login" in its two parts. */
export function splitPath(path: string): { service: string; method: string } {
  const [, service = '', method = ''] = path.split('/');
  return { service, method };
}

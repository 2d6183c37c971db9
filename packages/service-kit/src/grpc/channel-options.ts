import type { ChannelOptions } from '@grpc/grpc-js';

export interface MethodPolicy {
  /** Full name, e.g. "sabia.identity.v1.IdentityService". */
  service: string;
  /** As in the proto, e.g. "Login". */
  method: string;
  idempotent: boolean;
}

/** The highest maximum age that a connection may be configured with. */
export const oldestConnectionMs = 40_000;
/** Longer than a shared stream lives plus the RPCs that are still open at its end, so that an old connection never cuts a running RPC. */
const graceMs = 45_000;

const MEBIBYTE = 1024 * 1024;
export const maximumRequestBytes = 4 * MEBIBYTE;
/** Enough for a page of a thousand records with 16 KiB of metadata each. */
export const maximumResponseBytes = 32 * MEBIBYTE;
/** The largest response, with smaller ones that share its message. */
const MAXIMUM_MESSAGE_BYTES = maximumResponseBytes + MEBIBYTE;

/** HTTP/2 starts with 64 KiB for all RPCs of a connection together: after three pages of a list the next response waits for a round trip. */
const FLOW_CONTROL_WINDOW_BYTES = 4 * MEBIBYTE;

/** Spreads RPCs over all addresses; only idempotent ones are retried, and only on UNAVAILABLE. */
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
    // When most RPCs fail, retries only add load.
    retryThrottling: { maxTokens: 100, tokenRatio: 0.5 },
  });
}

export function clientChannelOptions(methods: readonly MethodPolicy[]): ChannelOptions {
  return {
    'grpc.service_config': serviceConfig(methods),
    // The service config is given here, so it need not be looked up in DNS on every resolution.
    'grpc.service_config_disable_resolution': 1,
    // grpc-js cuts a closing connection at its next keepalive ping, with the RPCs that still run on it, so the ping comes after the connection
    // is gone. (A replica that no longer responds is left after the first RPC that times out.)
    'grpc.keepalive_time_ms': oldestConnectionMs + graceMs + 5_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.keepalive_permit_without_calls': 1,
    // The defaults back off up to two minutes: too long for a service that restarts in one second.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // When replicas are replaced one after the other, the new ones must be known before the last old one has gone.
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
    // A client that has to reconnect resolves the name again, and so finds replicas that were added in the meantime.
    'grpc.max_connection_age_ms': maxConnectionAgeMs,
    'grpc.max_connection_age_grace_ms': graceMs,
    'grpc.max_receive_message_length': maximumRequestBytes,
    'grpc.max_send_message_length': MAXIMUM_MESSAGE_BYTES,
    'grpc.enable_channelz': 0,
  };
}

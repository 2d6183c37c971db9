import { clientChannelOptions, oldestConnectionMs, serverChannelOptions, serviceConfig } from './channel-options';
import { splitPath } from './definition';

interface Config {
  loadBalancingConfig: object[];
  methodConfig: { name: object[]; retryPolicy: { retryableStatusCodes: string[] } }[];
}

const service = 'sabia.identity.v1.IdentityService';

describe('channel options', () => {
  it('lets only idempotent methods be retried, and only on UNAVAILABLE', () => {
    const config = JSON.parse(
      serviceConfig([
        { service, method: 'GetMe', idempotent: true },
        { service, method: 'Login', idempotent: false },
      ]),
    ) as Config;
    expect(config.loadBalancingConfig).toEqual([{ round_robin: {} }]);
    expect(config.methodConfig).toHaveLength(1);
    expect(config.methodConfig[0]?.name).toEqual([{ service, method: 'GetMe' }]);
    expect(config.methodConfig[0]?.retryPolicy.retryableStatusCodes).toEqual(['UNAVAILABLE']);
  });

  it('retries nothing when nothing is idempotent', () => {
    expect(
      (JSON.parse(serviceConfig([{ service, method: 'Login', idempotent: false }])) as Config).methodConfig,
    ).toEqual([]);
  });

  it('bypasses HTTP proxies and reconnects soon', () => {
    expect(clientChannelOptions([])).toMatchObject({
      'grpc.enable_http_proxy': 0,
      'grpc.max_reconnect_backoff_ms': 2_000,
      'grpc.keepalive_permit_without_calls': 1,
    });
  });

  it('ends connections at the given age, after a grace time for running RPCs', () => {
    expect(serverChannelOptions(30_000)).toMatchObject({
      'grpc.max_connection_age_ms': 30_000,
      'grpc.max_connection_age_grace_ms': 45_000,
    });
  });

  it('sends no keepalive ping over a connection past its maximum age that may still carry RPCs', () => {
    const server = serverChannelOptions(oldestConnectionMs);
    // A connection lives up to a tenth longer than it was given.
    const goneAfter = oldestConnectionMs * 1.1 + Number(server['grpc.max_connection_age_grace_ms']);
    expect(clientChannelOptions([])['grpc.keepalive_time_ms']).toBeGreaterThan(goneAfter);
    expect(server).not.toHaveProperty(['grpc.keepalive_time_ms']);
  });

  it('splits the path of a method', () => {
    expect(splitPath(`/${service}/Login`)).toEqual({ service, method: 'Login' });
  });
});

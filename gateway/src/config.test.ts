import { loadConfig } from './config';

const environment = {
  NATS_URL: 'nats://127.0.0.1:4222',
  REDIS_URL: 'redis://127.0.0.1:6379',
  IDENTITY_ADDRESS: 'identity:50051',
  EXTENSIONS_ADDRESS: 'extensions:50051',
  TELEPHONY_ADDRESS: 'telephony:50051',
  BILLING_ADDRESS: 'billing:50051',
  WEBHOOK_ADDRESS: 'webhook:50051',
};

describe('the configuration', () => {
  it('has the limits of the interface by default', () => {
    const config = loadConfig(environment);
    expect(config.limits).toEqual({
      PLACE_CALL: 15,
      DIALER: 15,
      HANGUP: 30,
      LIST_CALLS: 15,
      LOGIN: 10,
      OTHER: 60,
      CONSOLE: 600,
      OPERATOR: 600,
    });
    expect(config).toMatchObject({
      port: 8080,
      trustedProxies: ['loopback'],
      allowQueryToken: true,
      bodyLimitBytes: 1048576,
    });
    expect(config.addresses['telephony']).toBe('telephony:50051');
  });

  it('takes limits and proxies from the environment', () => {
    const config = loadConfig({ ...environment, RATE_LIMIT_OTHER: '100000', TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' });
    expect(config.limits.OTHER).toBe(100000);
    expect(config.trustedProxies).toEqual(['loopback', '10.0.0.0/8']);
  });

  it('raises limits for known addresses and single accounts', () => {
    const overrides = { addresses: [{ cidr: '203.0.113.0/24', limits: { OTHER: 600 } }] };
    const config = loadConfig({ ...environment, RATE_LIMIT_OVERRIDES: JSON.stringify(overrides) });
    expect(config.limitOverrides).toEqual({ ...overrides, accounts: [] });
    expect(() => loadConfig({ ...environment, RATE_LIMIT_OVERRIDES: '{"accounts":[{"limits":{}}]}' })).toThrow(
      /RATE_LIMIT_OVERRIDES is not valid: accounts\[0\]\.account: /,
    );
  });

  it('names every variable that is wrong', () => {
    const broken = {
      ...environment,
      TRUSTED_PROXIES: 'nonsense',
      IDENTITY_ADDRESS: undefined,
      RATE_LIMIT_LOGIN: 'many',
    };
    expect(() => loadConfig(broken)).toThrow(/TRUSTED_PROXIES[\s\S]*IDENTITY_ADDRESS[\s\S]*RATE_LIMIT_LOGIN/);
  });
});

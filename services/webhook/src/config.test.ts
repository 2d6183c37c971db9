import { randomBytes } from 'node:crypto';
import { loadConfig } from './config';

const env = { DATABASE_URL: 'postgres://u:p@localhost/sabia', NATS_URL: 'nats://localhost' };

test('the defaults: public hosts only, 15 seconds', () => {
  expect(loadConfig(env)).toMatchObject({ allowPrivate: false, secretKeys: [], timeoutMs: 15_000, leaseMs: 45_000 });
});

test('private hosts and keys', () => {
  const key = randomBytes(32);
  const config = loadConfig({
    ...env,
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    WEBHOOK_KEYS: `home:${key.toString('base64')}`,
  });
  expect(config).toMatchObject({ allowPrivate: true, secretKeys: [{ id: 'home', bytes: key }] });
});

test('a key that is none is named, but not shown', () => {
  expect(() => loadConfig({ ...env, WEBHOOK_KEYS: 'home:c2VjcmV0' })).toThrow(/WEBHOOK_KEYS.*"home"/s);
  expect(() => loadConfig({ ...env, WEBHOOK_KEYS: 'home:c2VjcmV0' })).not.toThrow(/c2VjcmV0/);
});

test('a lease must outlast a request', () => {
  expect(() => loadConfig({ ...env, DELIVERY_LEASE_MS: '15000' })).toThrow(/DELIVERY_LEASE_MS/);
});

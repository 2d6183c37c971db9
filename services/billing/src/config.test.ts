import { ConfigError } from '@sabia/service-kit/config';
import { loadConfig } from './config';

const servers = { DATABASE_URL: 'postgres://sabia_billing:x@localhost/sabia', NATS_URL: 'nats://localhost:4222' };
const least = { ...servers, PAYMENT_GATEWAY: 'sandbox', ALLOW_SANDBOX_PAYMENTS: 'true' };

test('a start without a chosen payment gateway is refused', () => {
  expect(() => loadConfig(servers)).toThrow(/PAYMENT_GATEWAY is required/);
  expect(() => loadConfig({ ...servers, ALLOW_SANDBOX_PAYMENTS: 'true' })).toThrow(/PAYMENT_GATEWAY is required/);
});

test('the sandbox, which is paid by pressing a button, starts only where that is allowed', () => {
  const refused = /PAYMENT_GATEWAY is sandbox.*ALLOW_SANDBOX_PAYMENTS/;
  expect(() => loadConfig({ ...servers, PAYMENT_GATEWAY: 'sandbox' })).toThrow(refused);
  expect(() => loadConfig({ ...least, ALLOW_SANDBOX_PAYMENTS: 'false' })).toThrow(refused);
});

test('the sandbox needs nothing else', () => {
  expect(loadConfig(least)).toMatchObject({
    gateway: 'sandbox',
    allowSandbox: true,
    asaas: undefined,
    publicUrl: 'http://localhost:8080',
    reservationSeconds: 60,
    lowCreditThreshold: 100_000,
    phoneCountry: 'BR',
  });
});

test('Asaas needs its key and the token of its webhooks, and they are named', () => {
  expect(() => loadConfig({ ...least, PAYMENT_GATEWAY: 'asaas' })).toThrow(
    /ASAAS_API_KEY is required.*\n.*ASAAS_WEBHOOK_TOKEN/,
  );
  const partly = { ...least, ASAAS_API_KEY: '$aact_secret' };
  expect(() => loadConfig(partly)).toThrow(ConfigError);
  expect(() => loadConfig(partly)).toThrow(/^((?!secret).)*ASAAS_WEBHOOK_TOKEN((?!secret).)*$/s);
  expect(
    loadConfig({ ...servers, PAYMENT_GATEWAY: 'asaas', ASAAS_API_KEY: 'k', ASAAS_WEBHOOK_TOKEN: 't' }),
  ).toMatchObject({
    allowSandbox: false,
    asaas: { url: 'https://api.asaas.com/v3', apiKey: 'k', webhookToken: 't', timeoutMs: 10_000 },
  });
});

test('money is read exactly', () => {
  expect(loadConfig({ ...least, LOW_CREDIT_THRESHOLD: '0.0001' }).lowCreditThreshold).toBe(1);
  expect(() => loadConfig({ ...least, LOW_CREDIT_THRESHOLD: '10,00' })).toThrow(/LOW_CREDIT_THRESHOLD/);
});

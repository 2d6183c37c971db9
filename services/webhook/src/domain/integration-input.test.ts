import type { ServiceError } from '@sabia/service-kit/errors';
import { Violations } from '@sabia/service-kit/validation/violations';
import { checkIntegration } from './integration-input';
import type { IntegrationInput } from './integration-input';

function check(input: IntegrationInput, allowPrivate = false) {
  const violations = new Violations();
  const fields = checkIntegration(violations, input, undefined, { allowPrivate });
  violations.throwIfAny('integration');
  return fields;
}

function codesOf(input: IntegrationInput): Record<string, string> {
  try {
    check(input);
  } catch (error) {
    return Object.fromEntries((error as ServiceError).violations.map(({ field, code }) => [field, code]));
  }
  return {};
}

const webhook = (settings: object): IntegrationInput => ({
  gateway: 'crm',
  webhook: true,
  metadata: JSON.stringify({ webhookUrl: 'https://example.com/hook', ...settings }),
});

test('the defaults', () => {
  expect(check(webhook({})).settings).toEqual({
    url: 'https://example.com/hook',
    version: '1.8',
    types: ['channel-answer', 'channel-hangup'],
    headers: {},
    nulls: false,
  });
  expect(check({ gateway: 'crm' })).toEqual({
    gateway: 'crm',
    webhook: false,
    webhookConstraint: null,
    metadata: '{}',
    settings: null,
    constraintPairs: {},
  });
});

test('metadata that arrives as a JSON string means the same and is kept as it was sent', () => {
  const metadata = JSON.stringify(JSON.stringify({ webhookUrl: 'http://example.com' }));
  expect(check({ gateway: 'crm', webhook: true, metadata })).toMatchObject({
    metadata,
    settings: { url: 'http://example.com/' },
  });
});

test.each(['1.8', 'v1.8', '1.4', 'v1.4', 1.8])('version %s', (version) => {
  expect(check(webhook({ webhookVersion: version })).settings?.version).toBe(String(version));
});

test('fields that are left out keep their values', () => {
  const before = check(webhook({}));
  const violations = new Violations();
  expect(checkIntegration(violations, {}, before, { allowPrivate: false })).toEqual(before);
  expect(checkIntegration(violations, { webhook: false }, before, { allowPrivate: false }).settings).toBeNull();
});

test.each<[IntegrationInput, Record<string, string>]>([
  [{}, { gateway: 'presence' }],
  [{ gateway: ' ' }, { gateway: 'presence' }],
  [{ gateway: 'x'.repeat(65) }, { gateway: 'length' }],
  [{ gateway: 'crm', metadata: '[]' }, { metadata: 'type' }],
  [{ gateway: 'crm', metadata: 'x' }, { metadata: 'type' }],
  [{ gateway: 'crm', webhookConstraint: '7' }, { webhookConstraint: 'type' }],
  [{ gateway: 'crm', metadata: JSON.stringify({ a: 'x'.repeat(70_000) }) }, { metadata: 'length' }],
  [{ gateway: 'crm', webhook: true }, { 'metadata.webhookUrl': 'presence' }],
  [webhook({ webhookUrl: 'ftp://example.com' }), { 'metadata.webhookUrl': 'format' }],
  [webhook({ webhookUrl: 7 }), { 'metadata.webhookUrl': 'format' }],
  [webhook({ webhookUrl: 'https://a:b@example.com' }), { 'metadata.webhookUrl': 'format' }],
  [webhook({ webhookUrl: 'http://127.0.0.1/' }), { 'metadata.webhookUrl': 'exclusion' }],
  [webhook({ webhookVersion: '2.0' }), { 'metadata.webhookVersion': 'inclusion' }],
  [webhook({ webhookTypes: ['channel-up'] }), { 'metadata.webhookTypes': 'inclusion' }],
  [webhook({ webhookTypes: 7 }), { 'metadata.webhookTypes': 'type' }],
  [webhook({ webhookHeaders: ['x'] }), { 'metadata.webhookHeaders': 'type' }],
  [webhook({ webhookHeaders: { 'a b': 'x' } }), { 'metadata.webhookHeaders': 'format' }],
  [webhook({ webhookHeaders: { a: 'x\r\ny: z' } }), { 'metadata.webhookHeaders': 'format' }],
  [webhook({ webhookHeaders: { Host: 'x' } }), { 'metadata.webhookHeaders': 'exclusion' }],
  [webhook({ webhookHeaders: { 'webhook-id': 'x' } }), { 'metadata.webhookHeaders': 'exclusion' }],
  [webhook({ webhookHeaders: { a: {} } }), { 'metadata.webhookHeaders': 'type' }],
])('%j is refused', (input, codes) => {
  expect(codesOf(input)).toEqual(codes);
});

test('where private hosts are allowed, loopback is', () => {
  expect(check(webhook({ webhookUrl: 'http://127.0.0.1:9/x#y' }), true).settings?.url).toBe('http://127.0.0.1:9/x');
});

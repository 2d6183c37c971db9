import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createSecretVault } from './secret-vault';
import { newSecret, sign, writeSecret } from './signature';

test('what is signed with two secrets is verified with either, and with no other', () => {
  const [one, two, three] = [newSecret(), newSecret(), newSecret()];
  const body = '{"a":"ção"}';
  const [, id, , timestamp, , signature] = sign('msg_1', new Date(), body, [one, two]);
  const headers = { 'webhook-id': id!, 'webhook-timestamp': timestamp!, 'webhook-signature': signature! };
  for (const secret of [one, two]) {
    expect(new Webhook(writeSecret(secret)).verify(body, headers)).toEqual({ a: 'ção' });
  }
  expect(() => new Webhook(writeSecret(three)).verify(body, headers)).toThrow();
});

test('a receiver that compares one header with the HMAC of the body, keyed with the secret as shown, accepts it', () => {
  const [newest, previous] = [newSecret(), newSecret()];
  const body = '{"a":"ção"}';
  const headers = sign('msg_1', new Date(), body, [newest, previous]);
  const wanted = createHmac('sha256', writeSecret(newest)).update(body).digest('hex');
  expect(headers[headers.indexOf('x-webhook-signature') + 1]).toBe(`sha256=${wanted}`);
});

test('a sealed secret opens with its key in its account only', () => {
  const vault = createSecretVault([{ id: 'a', bytes: randomBytes(32) }]);
  const secret = newSecret();
  const sealed = vault.seal(1, secret);
  expect(sealed.bytes.includes(secret)).toBe(false);
  expect(vault.open(1, sealed)).toEqual(secret);
  expect(() => vault.open(2, sealed)).toThrow();
  expect(() => createSecretVault([]).open(1, sealed)).toThrow('WEBHOOK_KEYS');
});

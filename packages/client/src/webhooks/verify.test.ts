import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signWebhook } from './signature';
import { verifyWebhook } from './verify';

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
const other = `whsec_${Buffer.from('quite another secret here').toString('base64')}`;
const body = JSON.stringify({ eventType: 'channel-answer', id: 'call-1', metadata: { name: 'João' } });
const signed = async (with_ = secret, at = new Date()) => ({
  ...(await signWebhook(body, { id: 'msg_1', secret: with_, at })),
});

it('takes what the library of Standard Webhooks has signed, as text and as bytes, in any form of headers', async () => {
  const now = new Date();
  const headers = {
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': String(Math.floor(now.getTime() / 1000)),
    'Webhook-Signature': new Webhook(secret).sign('msg_1', now, body),
  };
  for (const given of [headers, new Headers(headers)]) {
    for (const sent of [body, Buffer.from(body), new TextEncoder().encode(body).buffer]) {
      expect(await verifyWebhook(sent, given, secret)).toMatchObject({ eventType: 'channel-answer', id: 'call-1' });
    }
  }
});

it('signs as Sabiá does', async () => {
  const headers = await signed();
  expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ id: 'call-1' });
  const overBody = createHmac('sha256', secret).update(body).digest('hex');
  expect(headers['x-webhook-signature']).toBe(`sha256=${overBody}`);
});

it('takes either secret after a rotation, on either side', async () => {
  const at = new Date();
  const [byOne, byOther] = [await signed(secret, at), await signed(other, at)];
  const both = `${byOne['webhook-signature']} ${byOther['webhook-signature']}`;
  const headers = { ...byOne, 'webhook-signature': both };
  expect(await verifyWebhook(body, headers, secret)).toBeDefined();
  expect(await verifyWebhook(body, headers, other)).toBeDefined();
  expect(await verifyWebhook(body, await signed(other), [secret, other])).toBeDefined();
});

it('refuses a changed body, another secret, an old or missing time, and headers that are missing', async () => {
  const headers = await signed();
  const refused = (...args: Parameters<typeof verifyWebhook>) => expect(verifyWebhook(...args)).rejects;
  await refused(body.replace('call-1', 'call-2'), headers, secret).toMatchObject({ code: 'WRONG_SIGNATURE' });
  await refused(body, headers, other).toMatchObject({ code: 'WRONG_SIGNATURE' });
  await refused(body, { ...headers, 'webhook-id': 'msg_2' }, secret).toMatchObject({ code: 'WRONG_SIGNATURE' });
  await refused(body, { ...headers, 'webhook-signature': 'v1,%%% v2,x' }, secret).toMatchObject({
    code: 'WRONG_SIGNATURE',
  });
  const old = await signed(secret, new Date(Date.now() - 301_000));
  await refused(body, old, secret).toMatchObject({ code: 'WRONG_TIME' });
  await refused(body, { ...headers, 'webhook-timestamp': 'soon' }, secret).toMatchObject({ code: 'WRONG_TIME' });
  await refused(body, {}, secret).toMatchObject({ code: 'MISSING_HEADER', message: 'webhook-id is missing.' });
  await refused(body, headers, 'whsec_').toThrow('whsec_');
});

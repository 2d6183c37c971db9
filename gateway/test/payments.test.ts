import { createHash } from 'node:crypto';
import { startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

let setup: Setup;

beforeAll(async () => {
  setup = await startSetup();
});

afterAll(async () => {
  await setup.close();
});

const hashOf = (script: string): string => createHash('sha256').update(script).digest('base64');

describe('a payment link', () => {
  it('shows the page of billing, which may only run its own script and post to itself', async () => {
    const { status, headers, text } = await setup.gateway.ask('/pay/first');
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text).toContain('<form');
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hashOf('p{}')}'`);
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain(`script-src 'sha256-${hashOf('own()')}'`);
    expect(policy).not.toContain(hashOf('smuggled()'));
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is in the language of the payer', async () => {
    const ask = (language: string) => setup.gateway.ask('/pay/first', { headers: { 'accept-language': language } });
    expect((await ask('de, en;q=0.5')).text).toContain('lang="en"');
    expect((await ask('de')).text).toContain('lang="pt-BR"');
  });

  it('is paid by the button, and only by it', async () => {
    await setup.gateway.ask('/pay/second', { method: 'HEAD' });
    await setup.gateway.ask('/pay/second');
    expect(setup.fake.paid).not.toContain('second');
    const response = await setup.gateway.ask('/pay/second', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'anything=at-all',
    });
    expect(response).toMatchObject({ status: 200, text: expect.stringContaining('paid') as string });
    expect(setup.fake.paid).toContain('second');
  });

  it.each(['GET', 'POST'])('that does not exist leads to a page that says so (%s)', async (method) => {
    const { status, headers, text } = await setup.gateway.ask('/pay/unknown', { method });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' });
    expect(text).toContain('Cobrança não encontrada');
    const english = await setup.gateway.ask('/pay/unknown', { method, headers: { 'accept-language': 'en' } });
    expect(english.text).toContain('Charge not found');
  });

  it('says when to come back while billing is away', async () => {
    const { status, headers, text } = await setup.gateway.ask('/pay/away');
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '7' });
    expect(text).toContain('daqui a um minuto');
  });

  it('is counted like any other request', async () => {
    const { headers } = await setup.gateway.ask('/pay/first');
    expect(headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59' });
  });

  it('leaves no token in the log', async () => {
    await setup.gateway.ask('/pay/a-secret-token');
    const log = JSON.stringify(setup.gateway.logLines);
    expect(log).toContain('/pay/{token}');
    expect(log).not.toContain('a-secret-token');
  });
});

describe('a notification of the payment provider', () => {
  it('reaches billing unchanged, with the token of the provider', async () => {
    const body = Buffer.from('{ "id":"evt_1",\n"payment" : {}}\u00e9', 'latin1');
    const response = await setup.gateway.ask('/payments/asaas', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'asaas-access-token': 'right' },
      body,
    });
    expect(response.status).toBe(200);
    const [notification] = setup.fake.notifications;
    expect(notification).toMatchObject({ provider: 'asaas', token: 'right' });
    expect(Buffer.from(notification?.body ?? []).equals(body)).toBe(true);
  });

  it.each<Record<string, string>>([{}, { 'asaas-access-token': 'wrong' }])('with %j is refused', async (headers) => {
    const response = await setup.gateway.ask('/payments/asaas', { method: 'POST', headers, body: '{}' });
    expect(response).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
  });

  it('has a limited size', async () => {
    const response = await setup.gateway.ask('/payments/asaas', { method: 'POST', body: Buffer.alloc(1_048_577) });
    expect(response.status).toBe(413);
  });
});

import { createHash } from 'node:crypto';
import { openHouse } from './fixtures/harness';
import type { House } from './fixtures/harness';

let house: House;

beforeAll(async () => {
  house = await openHouse();
});

afterAll(async () => {
  await house.close();
});

const hashOf = (script: string): string => createHash('sha256').update(script).digest('base64');

describe('a payment link', () => {
  it('shows the page of billing, which may run its own script and post to itself, and nothing else', async () => {
    const { status, headers, text } = await house.gateway.ask('/pay/first');
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text).toContain('<form');
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain(`script-src 'sha256-${hashOf('own()')}'`);
    expect(policy).not.toContain(hashOf('smuggled()'));
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is paid by the button, and only by it', async () => {
    await house.gateway.ask('/pay/second', { method: 'HEAD' });
    await house.gateway.ask('/pay/second');
    expect(house.fake.paid).not.toContain('second');
    const answer = await house.gateway.ask('/pay/second', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'anything=at-all',
    });
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('paid') as string });
    expect(house.fake.paid).toContain('second');
  });

  it.each(['GET', 'POST'])('that does not exist is a page of its own (%s)', async (method) => {
    const { status, headers, text } = await house.gateway.ask('/pay/unknown', { method });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' });
    expect(text).toContain('Cobrança não encontrada');
    expect(headers['content-security-policy']).toContain("form-action 'none'");
  });

  it('says when to come back while billing is away', async () => {
    const { status, headers, text } = await house.gateway.ask('/pay/away');
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '7' });
    expect(text).toContain('daqui a um minuto');
  });

  it('counts as any other request', async () => {
    const { headers } = await house.gateway.ask('/pay/first');
    expect(headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59' });
  });

  it('leaves no token in the log', async () => {
    await house.gateway.ask('/pay/a-secret-token');
    const log = JSON.stringify(house.gateway.logLines);
    expect(log).toContain('/pay/{token}');
    expect(log).not.toContain('a-secret-token');
  });
});

describe('a notification of the payment provider', () => {
  it('reaches billing to the byte, with the token of the provider', async () => {
    const body = Buffer.from('{ "id":"evt_1",\n"payment" : {}}\u00e9', 'latin1');
    const answer = await house.gateway.ask('/payments/asaas', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'asaas-access-token': 'right' },
      body,
    });
    expect(answer.status).toBe(200);
    const [notification] = house.fake.notifications;
    expect(notification).toMatchObject({ provider: 'asaas', token: 'right' });
    expect(Buffer.from(notification?.body ?? []).equals(body)).toBe(true);
  });

  it.each<Record<string, string>>([{}, { 'asaas-access-token': 'wrong' }])('with %j is refused', async (headers) => {
    const answer = await house.gateway.ask('/payments/asaas', { method: 'POST', headers, body: '{}' });
    expect(answer).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
  });

  it('is not endless', async () => {
    const answer = await house.gateway.ask('/payments/asaas', { method: 'POST', body: Buffer.alloc(1_048_577) });
    expect(answer.status).toBe(413);
  });
});

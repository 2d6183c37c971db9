import { connect } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { freshIp, openHouse } from './fixtures/harness';
import type { House } from './fixtures/harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('a request', () => {
  it('has an id from end to end', async () => {
    const { token, caller } = house.fake.addToken();
    const ip = freshIp();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await house.gateway.ask('/api/v1/tools/9', {
      token,
      ip,
      headers: { 'x-request-id': 'mine:1', traceparent },
    });
    expect(answer.headers['x-request-id']).toBe('mine:1');
    const { context } = house.fake.received.at(-1)!;
    expect(context).toMatchObject({
      requestId: 'mine:1',
      clientIp: ip,
      caller: { userId: caller.userId, email: 'ana@x.test' },
    });
    expect(context.span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(context.deadline!.getTime() - Date.now()).toBeLessThanOrEqual(30_000);
    expect(
      (await house.gateway.ask('/api/v1/nothing', { headers: { 'x-request-id': 'a b' } })).headers['x-request-id'],
    ).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is called off when its client goes away', async () => {
    const { token } = house.fake.addToken();
    const leaving = new AbortController();
    const asked = house.gateway.ask('/api/v1/tools/7?mischief=sleep', {
      token,
      headers: { 'x-request-id': 'leaver' },
      signal: leaving.signal,
    });
    await eventually(() => house.fake.received.some(({ context }) => context.requestId === 'leaver'));
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => house.fake.cancelled.includes('leaver'));
    await eventually(() =>
      house.gateway.logLines.some(({ requestId, status }) => requestId === 'leaver' && status === 499),
    );
  });

  it('does not disturb anybody when its client leaves in the middle of the body', async () => {
    const socket = connect(Number(new URL(house.gateway.url).port), '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write(
        'POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nX-Request-Id: half\r\nContent-Length: 100\r\n\r\n{"na',
        () => resolve(),
      );
    });
    socket.destroy();
    await eventually(() =>
      house.gateway.logLines.some(({ requestId, status }) => requestId === 'half' && status === 499),
    );
    expect(house.gateway.logLines.filter(({ requestId, level }) => requestId === 'half' && level === 'error')).toEqual(
      [],
    );
  });

  it('leaves one line in the log, without query or body', async () => {
    const { token, caller } = house.fake.addToken();
    await house.gateway.ask(`/api/v1/tools/9?access_token=${token}&secret=s3cr3t`, {
      headers: { 'x-request-id': 'logged' },
    });
    await house.gateway.ask('/api/v1/tools', { json: { name: 's3cr3t' }, headers: { 'x-request-id': 'logged' } });
    const lines = await eventually(() => {
      const found = house.gateway.logLines.filter(({ requestId, msg }) => requestId === 'logged' && msg === 'request');
      return found.length === 2 && found;
    });
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'info',
        method: 'GET',
        route: '/api/v1/tools/{id}',
        status: 200,
        ms: expect.any(Number) as number,
        userId: caller.userId,
      }),
    );
    expect(JSON.stringify(house.gateway.logLines)).not.toContain('s3cr3t');
    expect(JSON.stringify(house.gateway.logLines)).not.toContain(token);
  });

  it('is measured by its template', async () => {
    await house.gateway.ask('/api/v1/tools/987654');
    await house.gateway.ask('/api/v1/nothing/987654');
    const metrics = await (await fetch(house.gateway.metricsUrl)).text();
    expect(metrics).toMatch(
      /sabia_http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/tools\/\{id\}"[^}]*\} \d+/,
    );
    expect(metrics).toContain('route="unknown"');
    expect(metrics).not.toContain('987654');
  });

  it('is answered with safe headers', async () => {
    const { headers } = await house.gateway.ask('/api/v1/nothing');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });

  it('counts X-Forwarded-For only from proxies that are trusted', async () => {
    const wary = await house.addGateway({ trustedProxies: ['192.0.2.1'] });
    await wary.ask('/api/v1/tools', { json: {}, ip: '198.51.100.77' });
    expect(house.fake.received.at(-1)!.context.clientIp).toBe('127.0.0.1');
  });
});

describe('stopping', () => {
  it('says so, finishes what runs, and closes the connections', async () => {
    const leaving = await house.addGateway({ drainDelayMs: 2_000 });
    const { token } = house.fake.addToken();
    const running = leaving.ask('/api/v1/tools/7?mischief=nap', { token, headers: { 'x-request-id': 'runner' } });
    await eventually(() => house.fake.received.some(({ context }) => context.requestId === 'runner'));
    const idle = connect(Number(new URL(leaving.url).port), '127.0.0.1');
    const idleClosed = new Promise((resolve) => idle.on('close', resolve));
    idle.resume().on('error', () => undefined);
    const stopped = leaving.stopGateway();
    const notReady = await eventually(async () => {
      const answer = await leaving.ask('/readyz');
      return answer.status === 503 && answer;
    });
    expect(notReady.json).toMatchObject({ status: 'stopping' });
    expect(notReady.headers['connection']).toBe('close');
    house.fake.wake();
    const answer = await running;
    expect([answer.status, answer.headers['connection']]).toEqual([200, 'close']);
    await Promise.all([stopped, idleClosed]);
    await expect(leaving.ask('/healthz')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('does not wait for ever', async () => {
    const leaving = await house.addGateway({ requestTimeoutMs: 2_000 });
    const stuck = connect(Number(new URL(leaving.url).port), '127.0.0.1');
    stuck.on('error', () => undefined).write('POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    const { token } = house.fake.addToken();
    expect((await leaving.ask('/api/v1/tools/9', { token })).status).toBe(200);
    const started = performance.now();
    await leaving.stopGateway();
    expect(performance.now() - started).toBeLessThan(60_000);
    stuck.destroy();
  });
});

describe('pages', () => {
  it('asks who follows a confirmation link for a password', async () => {
    const answer = await house.gateway.ask('/api/v1/accounts/confirm?token=good');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('ana@x.test');
    expect(answer.text).toContain('&lt;b&gt;acme&lt;/b&gt;');
    expect(answer.text).toMatch(/<form method="post"[^]*name="token" value="good"[^]*name="password"/);
    expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'.*form-action 'self'.*'sha256-/);
  });

  it.each(['?token=unknown', '', '?token=', '?token[]=x', '?token=%00'])(
    'is kind about a link that does not work: %s',
    async (query) => {
      const answer = await house.gateway.ask(`/api/v1/accounts/confirm${query}`);
      expect([400, 410]).toContain(answer.status);
      expect(answer.text).toContain('This link does not work');
    },
  );

  it.each([
    ['used', 'This link has been used'],
    ['expired', 'This link has expired'],
  ])('says what became of a link: %s', async (token, text) => {
    const answer = await house.gateway.ask(`/api/v1/accounts/confirm?token=${token}`);
    expect([answer.status, answer.headers['ratelimit-limit']]).toEqual([410, '60']);
    expect(answer.text).toContain(text);
  });

  it.each(['reset-password', 'undo-email-change'])('asks for a new password: %s', async (path) => {
    const answer = await house.gateway.ask(`/api/v1/users/${path}?token=%22%3E%3Cscript%3E`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(answer.headers['content-security-policy']).toMatch(/script-src 'sha256-/);
  });

  it.each([
    ['/', 'Sabiá is listening'],
    ['/docs', '/api/v1/tools/{id}/use'],
  ])('%s', async (path, text) => {
    const answer = await house.gateway.ask(path);
    expect([answer.status, answer.headers['content-type'], answer.headers['ratelimit-limit']]).toEqual([
      200,
      'text/html; charset=utf-8',
      undefined,
    ]);
    expect(answer.text).toContain(text);
  });

  it('gives the OpenAPI document', async () => {
    const { json } = await house.gateway.ask('/openapi.json');
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://sabia.test' }] });
    expect(Object.keys((json as { paths: object }).paths)).toContain('/api/v1/calls/{id}/hangup');
  });
});

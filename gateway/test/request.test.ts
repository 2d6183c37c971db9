import { connect } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { freshIp, startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

describe('a request', () => {
  it('has an id from end to end', async () => {
    const { token, caller } = setup.fake.addToken();
    const ip = freshIp();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await setup.gateway.ask('/api/v1/tools/9', {
      token,
      ip,
      headers: { 'x-request-id': 'mine:1', traceparent },
    });
    expect(response.headers['x-request-id']).toBe('mine:1');
    const { context } = setup.fake.received.at(-1)!;
    expect(context).toMatchObject({
      requestId: 'mine:1',
      clientIp: ip,
      caller: { userId: caller.userId, email: 'ana@x.test' },
    });
    expect(context.span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(context.deadline!.getTime() - Date.now()).toBeLessThanOrEqual(30_000);
    expect(
      (await setup.gateway.ask('/api/v1/nothing', { headers: { 'x-request-id': 'a b' } })).headers['x-request-id'],
    ).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is cancelled when its client disconnects', async () => {
    const { token } = setup.fake.addToken();
    const leaving = new AbortController();
    const asked = setup.gateway.ask('/api/v1/tools/7?fault=sleep', {
      token,
      headers: { 'x-request-id': 'leaver' },
      signal: leaving.signal,
    });
    await eventually(() => setup.fake.received.some(({ context }) => context.requestId === 'leaver'));
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => setup.fake.cancelled.includes('leaver'));
    await eventually(() =>
      setup.gateway.logLines.some(({ requestId, status }) => requestId === 'leaver' && status === 499),
    );
  });

  it('does not disturb other requests when its client disconnects in the middle of the body', async () => {
    const socket = connect(Number(new URL(setup.gateway.url).port), '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write(
        'POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nX-Request-Id: half\r\nContent-Length: 100\r\n\r\n{"na',
        () => resolve(),
      );
    });
    socket.destroy();
    await eventually(() =>
      setup.gateway.logLines.some(({ requestId, status }) => requestId === 'half' && status === 499),
    );
    expect(setup.gateway.logLines.filter(({ requestId, level }) => requestId === 'half' && level === 'error')).toEqual(
      [],
    );
  });

  it('leaves one line in the log, without query or body', async () => {
    const { token, caller } = setup.fake.addToken();
    await setup.gateway.ask(`/api/v1/tools/9?access_token=${token}&secret=s3cr3t`, {
      headers: { 'x-request-id': 'logged' },
    });
    await setup.gateway.ask('/api/v1/tools', { json: { name: 's3cr3t' }, headers: { 'x-request-id': 'logged' } });
    const lines = await eventually(() => {
      const found = setup.gateway.logLines.filter(({ requestId, msg }) => requestId === 'logged' && msg === 'request');
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
    expect(JSON.stringify(setup.gateway.logLines)).not.toContain('s3cr3t');
    expect(JSON.stringify(setup.gateway.logLines)).not.toContain(token);
  });

  it('is measured by its route template', async () => {
    await setup.gateway.ask('/api/v1/tools/987654');
    await setup.gateway.ask('/api/v1/nothing/987654');
    const metrics = await (await fetch(setup.gateway.metricsUrl)).text();
    expect(metrics).toMatch(
      /sabia_http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/tools\/\{id\}"[^}]*\} \d+/,
    );
    expect(metrics).toContain('route="unknown"');
    expect(metrics).not.toContain('987654');
  });

  it('gets a response with safe headers', async () => {
    const { headers } = await setup.gateway.ask('/api/v1/nothing');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });

  it('believes X-Forwarded-For only from trusted proxies', async () => {
    const wary = await setup.addGateway({ trustedProxies: ['192.0.2.1'] });
    await wary.ask('/api/v1/tools', { json: {}, ip: '198.51.100.77' });
    expect(setup.fake.received.at(-1)!.context.clientIp).toBe('127.0.0.1');
  });
});

describe('stopping', () => {
  it('becomes unready, finishes running requests, and closes the connections', async () => {
    const leaving = await setup.addGateway({ drainDelayMs: 2_000 });
    const { token } = setup.fake.addToken();
    const running = leaving.ask('/api/v1/tools/7?fault=nap', { token, headers: { 'x-request-id': 'runner' } });
    await eventually(() => setup.fake.received.some(({ context }) => context.requestId === 'runner'));
    const idle = connect(Number(new URL(leaving.url).port), '127.0.0.1');
    const idleClosed = new Promise((resolve) => idle.on('close', resolve));
    idle.resume().on('error', () => undefined);
    const stopped = leaving.stopGateway();
    const notReady = await eventually(async () => {
      const response = await leaving.ask('/readyz');
      return response.status === 503 && response;
    });
    expect(notReady.json).toMatchObject({ status: 'stopping' });
    expect(notReady.headers['connection']).toBe('close');
    setup.fake.wake();
    const response = await running;
    expect([response.status, response.headers['connection']]).toEqual([200, 'close']);
    await Promise.all([stopped, idleClosed]);
    await expect(leaving.ask('/healthz')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('does not wait forever', async () => {
    const leaving = await setup.addGateway({ requestTimeoutMs: 2_000 });
    const stuck = connect(Number(new URL(leaving.url).port), '127.0.0.1');
    stuck.on('error', () => undefined).write('POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    const { token } = setup.fake.addToken();
    expect((await leaving.ask('/api/v1/tools/9', { token })).status).toBe(200);
    const started = performance.now();
    await leaving.stopGateway();
    expect(performance.now() - started).toBeLessThan(60_000);
    stuck.destroy();
  });
});

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@sabia/testkit/eventually';
import { TokenKind } from '@sabia/protos/sabia/identity/v1/messages';
import { startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

const audio = 'RIFF0123456789';
let folder: string;
let setup: Setup;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sabia-recordings-'));
  setup = await startSetup({ recordingsPath: folder });
  for (const id of ['call', 'deleted']) {
    setup.fake.recordings.set(id, join(folder, `${id}.wav`));
  }
  writeFileSync(join(folder, 'call.wav'), audio);
});

afterAll(async () => {
  await setup.close();
  rmSync(folder, { recursive: true });
});

const link = '/api/v1/recordings/call.wav?signature=good';

describe('the recording of a call', () => {
  it('is served with the signed link alone, without a token', async () => {
    const { status, headers, text } = await setup.gateway.ask(link);
    expect({ status, text }).toEqual({ status: 200, text: audio });
    expect(headers).toMatchObject({
      'content-type': 'audio/x-wav',
      'content-length': '14',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
    });
  });

  it('is heard in the console, by the session and its limit', async () => {
    const { token } = setup.fake.addToken({ kind: TokenKind.SESSION });
    const headers = { cookie: `sabia_session=${token}`, range: 'bytes=0-3', 'sec-fetch-site': 'same-origin' };
    const redirect = await setup.gateway.ask('/api/v1/calls/call/recording', { headers });
    expect(redirect).toMatchObject({ status: 302, headers: { location: link } });
    const part = await setup.gateway.ask(redirect.headers['location']!, { headers });
    expect({ status: part.status, text: part.text }).toEqual({ status: 206, text: 'RIFF' });
    expect([redirect, part].map((each) => each.headers['ratelimit-remaining'])).toEqual(['599', '598']);
  });

  it('has its headers in response to HEAD', async () => {
    const { status, headers, text } = await setup.gateway.ask(link, { method: 'HEAD' });
    expect({ status, text, length: headers['content-length'] }).toEqual({ status: 200, text: '', length: '14' });
  });

  it.each([
    ['bytes=4-', '0123456789', 'bytes 4-13/14'],
    ['bytes=0-3', 'RIFF', 'bytes 0-3/14'],
    ['bytes=-2', '89', 'bytes 12-13/14'],
  ])('is served in parts: %s', async (range, part, contentRange) => {
    const { status, headers, text } = await setup.gateway.ask(link, { headers: { range } });
    expect({ status, text }).toEqual({ status: 206, text: part });
    expect(headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(part.length) });
  });

  it('refuses a range beyond its end', async () => {
    const response = await setup.gateway.ask(link, { headers: { range: 'bytes=14-' } });
    expect(response).toMatchObject({ status: 416, error: { code: 'RANGE_NOT_SATISFIABLE' } });
    expect(response.headers['content-range']).toBe('bytes */14');
  });

  it.each(['', '?signature=', '?signature=bad', '?signature=good&signature=good'])(
    'is refused with the signature "%s"',
    async (query) => {
      expect((await setup.gateway.ask(`/api/v1/recordings/call.wav${query}`)).status).toBe(403);
    },
  );

  it.each(['unknown.wav', 'deleted.wav', 'call.ogg', 'call'])('is a 404 if it does not exist: %s', async (name) => {
    const response = await setup.gateway.ask(`/api/v1/recordings/${name}?signature=good`);
    expect(response).toMatchObject({ status: 404, error: { code: 'MODEL_NOT_FOUND' } });
  });

  it('is never a file outside of the folder', async () => {
    setup.fake.recordings.set('astray', '/etc/passwd');
    expect((await setup.gateway.ask('/api/v1/recordings/astray.wav?signature=good')).status).toBe(500);
  });

  it('is a 503 without a configured folder', async () => {
    const without = await setup.addGateway({ recordingsPath: undefined });
    expect((await without.ask(link)).status).toBe(503);
  });

  it('leaves no signature in the log', () => {
    expect(JSON.stringify(setup.gateway.logLines)).not.toContain('signature');
  });
});

describe('the recording of a call in an object store', () => {
  let bucket: Server;
  let location: string;
  const seen: { url?: string; range?: string; authorization?: string }[] = [];
  let status: number | undefined;

  beforeAll(async () => {
    bucket = createServer(({ url, headers: { range, authorization } }, response) => {
      seen.push({ url, range, authorization });
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
      const part = audio.slice(Number(start), Number(end) + 1);
      response.writeHead(status ?? 206, { 'content-length': part.length, 'content-type': 'binary/octet-stream' });
      response.end(part);
    });
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
    location = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}/bucket/c.wav?X-Amz-Signature=s3cret`;
    setup.fake.recordings.set('far', location);
  });

  afterAll(() => {
    bucket.closeAllConnections();
    bucket.close();
  });

  afterEach(() => {
    status = undefined;
  });

  const far = '/api/v1/recordings/far.wav?signature=good';

  it('is passed on, without any credentials of the gateway or of the client', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask(far, { token });
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: audio });
    expect(response.headers).toMatchObject({
      'content-type': 'audio/x-wav',
      'content-length': '14',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
    });
    expect(seen.at(-1)).toEqual({ url: '/bucket/c.wav?X-Amz-Signature=s3cret', range: 'bytes=0-13' });
  });

  it.each([
    ['bytes=4-', '0123456789', 'bytes 4-13/14'],
    ['bytes=-2', '89', 'bytes 12-13/14'],
  ])('is passed on in parts: %s', async (range, part, contentRange) => {
    const { status: code, headers, text } = await setup.gateway.ask(far, { headers: { range } });
    expect({ code, text }).toEqual({ code: 206, text: part });
    expect(headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(part.length) });
  });

  it('has its headers without a request to the store', async () => {
    const before = seen.length;
    const { status: code, headers } = await setup.gateway.ask(far, { method: 'HEAD' });
    expect([code, headers['content-length'], seen.length]).toEqual([200, '14', before]);
    expect((await setup.gateway.ask(far, { headers: { range: 'bytes=14-' } })).status).toBe(416);
  });

  it('is a 404 when the store has lost it, and a 503 when the store fails', async () => {
    status = 404;
    expect(await setup.gateway.ask(far)).toMatchObject({ status: 404, error: { code: 'MODEL_NOT_FOUND' } });
    for (const code of [403, 500]) {
      status = code;
      expect(await setup.gateway.ask(far)).toMatchObject({ status: 503, error: { code: 'SERVICE_UNAVAILABLE' } });
    }
    setup.fake.recordings.set('nowhere', 'http://127.0.0.1:1/bucket/c.wav?X-Amz-Signature=s3cret');
    const away = await setup.gateway.ask('/api/v1/recordings/nowhere.wav?signature=good');
    expect([away.status, away.headers['retry-after']]).toEqual([503, '1']);
  });

  it('leaves nothing of its URL in responses and logs', async () => {
    status = 500;
    const response = await setup.gateway.ask(far);
    expect(response.text).not.toContain('s3cret');
    expect(JSON.stringify(setup.gateway.logLines)).not.toContain('s3cret');
  });
});

describe('between a client and the object store', () => {
  let store: Server;
  let handle: RequestListener;
  let requests: IncomingMessage[];
  const far = '/api/v1/recordings/guarded.wav?signature=good';
  const storeError = '<Error><Code>AccessDenied</Code><Resource>/bucket/guarded.wav</Resource></Error>';

  beforeAll(async () => {
    store = createServer((request, response) => {
      requests.push(request);
      handle(request, response);
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  });

  beforeEach(() => {
    requests = [];
    handle = (_, response) => response.writeHead(206, { 'content-length': audio.length }).end(audio);
    setup.fake.recordings.set('guarded', locationOf('/bucket/guarded.wav'));
  });

  afterAll(() => {
    store.closeAllConnections();
    store.close();
  });

  const locationOf = (path: string): string =>
    `http://127.0.0.1:${(store.address() as AddressInfo).port}${path}?X-Amz-Signature=s3cret`;

  it('the store receives no header of the client, only a range', async () => {
    const headers = {
      authorization: 'Bearer client-secret',
      'x-access-token': 'client-secret',
      cookie: 'session=client-secret',
      'x-forwarded-for': '203.0.113.7',
      'if-range': '"client-secret"',
      expect: '100-continue',
      range: 'bytes=0-',
    };
    const sent = request(setup.gateway.url + far, { headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(206);
    const { host, connection, ...others } = requests[0]!.headers;
    expect([host, connection]).toEqual([new URL(locationOf('/')).host, 'keep-alive']);
    expect(others).toEqual({ range: 'bytes=0-13' });
  });

  it.each([403, 404, 416, 500, 503])('the client receives nothing of the error %s of the store', async (status) => {
    handle = (_, response) =>
      response
        .writeHead(status, { 'content-type': 'application/xml', 'x-amz-request-id': 'of-the-store' })
        .end(storeError);
    const { status: code, headers, text } = await setup.gateway.ask(far);
    expect(code).toBe(status === 404 ? 404 : 503);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers).not.toHaveProperty('x-amz-request-id');
    expect(text).not.toMatch(/AccessDenied|bucket|s3cret/);
  });

  it('the signed URL is sent unchanged', async () => {
    setup.fake.recordings.set('guarded', locationOf("/bucket//audio/it's%20http:/guarded.wav"));
    expect((await setup.gateway.ask(far)).status).toBe(200);
    expect(requests[0]!.url).toBe("/bucket//audio/it's%20http:/guarded.wav?X-Amz-Signature=s3cret");
  });

  it('a client that leaves ends the request to the store', async () => {
    for (const begin of [false, true]) {
      let closed = false;
      handle = (incoming, response) => {
        incoming.socket.once('close', () => (closed = true));
        if (begin) {
          response.writeHead(206, { 'content-length': audio.length }).write('RIFF');
        }
      };
      const before = requests.length;
      const sent = request(setup.gateway.url + far).on('error', () => undefined);
      sent.end();
      if (begin) {
        await once(sent, 'response');
      }
      await eventually(() => requests.length > before);
      sent.destroy();
      // Well before the store counts as silent.
      await eventually(() => closed, { timeoutMs: 8_000 });
    }
  });

  it('audio that breaks off in the store ends the connection of the client', async () => {
    handle = (_, response) => {
      response.writeHead(206, { 'content-length': audio.length }).write('RIFF');
      setTimeout(() => response.destroy(), 50);
    };
    await expect(setup.gateway.ask(far)).rejects.toThrow();
  });
});

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHouse } from './fixtures/harness';
import type { House } from './fixtures/harness';

const audio = 'RIFF0123456789';
let folder: string;
let house: House;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sabia-recordings-'));
  house = await openHouse({ recordingsPath: folder });
  for (const id of ['call', 'deleted']) {
    house.fake.recordings.set(id, join(folder, `${id}.wav`));
  }
  writeFileSync(join(folder, 'call.wav'), audio);
});

afterAll(async () => {
  await house.close();
  rmSync(folder, { recursive: true });
});

const link = '/api/v1/recordings/call.wav?signature=good';

describe('the recording of a call', () => {
  it('is served to whoever has the signed link, without a token', async () => {
    const { status, headers, text } = await house.gateway.ask(link);
    expect({ status, text }).toEqual({ status: 200, text: audio });
    expect(headers).toMatchObject({
      'content-type': 'audio/x-wav',
      'content-length': '14',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
    });
  });

  it('is described by HEAD', async () => {
    const { status, headers, text } = await house.gateway.ask(link, { method: 'HEAD' });
    expect({ status, text, length: headers['content-length'] }).toEqual({ status: 200, text: '', length: '14' });
  });

  it.each([
    ['bytes=4-', '0123456789', 'bytes 4-13/14'],
    ['bytes=0-3', 'RIFF', 'bytes 0-3/14'],
    ['bytes=-2', '89', 'bytes 12-13/14'],
  ])('is served in parts: %s', async (range, part, contentRange) => {
    const { status, headers, text } = await house.gateway.ask(link, { headers: { range } });
    expect({ status, text }).toEqual({ status: 206, text: part });
    expect(headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(part.length) });
  });

  it('ends where it ends', async () => {
    const answer = await house.gateway.ask(link, { headers: { range: 'bytes=14-' } });
    expect(answer).toMatchObject({ status: 416, error: { code: 'RANGE_NOT_SATISFIABLE' } });
    expect(answer.headers['content-range']).toBe('bytes */14');
  });

  it.each(['', '?signature=', '?signature=bad', '?signature=good&signature=good'])(
    'is refused with the signature "%s"',
    async (query) => {
      expect((await house.gateway.ask(`/api/v1/recordings/call.wav${query}`)).status).toBe(403);
    },
  );

  it.each(['unknown.wav', 'deleted.wav', 'call.ogg', 'call'])('is a 404 if there is none: %s', async (name) => {
    const answer = await house.gateway.ask(`/api/v1/recordings/${name}?signature=good`);
    expect(answer).toMatchObject({ status: 404, error: { code: 'MODEL_NOT_FOUND' } });
  });

  it('is never a file from elsewhere', async () => {
    house.fake.recordings.set('astray', '/etc/passwd');
    expect((await house.gateway.ask('/api/v1/recordings/astray.wav?signature=good')).status).toBe(500);
  });

  it('is a 503 where no folder is served', async () => {
    const without = await house.addGateway({ recordingsPath: undefined });
    expect((await without.ask(link)).status).toBe(503);
  });

  it('leaves no signature in the log', () => {
    expect(JSON.stringify(house.gateway.logLines)).not.toContain('signature');
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
    house.fake.recordings.set('far', location);
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
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask(far, { token });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: audio });
    expect(answer.headers).toMatchObject({
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
    const { status: code, headers, text } = await house.gateway.ask(far, { headers: { range } });
    expect({ code, text }).toEqual({ code: 206, text: part });
    expect(headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(part.length) });
  });

  it('is described without asking the store', async () => {
    const before = seen.length;
    const { status: code, headers } = await house.gateway.ask(far, { method: 'HEAD' });
    expect([code, headers['content-length'], seen.length]).toEqual([200, '14', before]);
    expect((await house.gateway.ask(far, { headers: { range: 'bytes=14-' } })).status).toBe(416);
  });

  it('is a 404 when the store has lost it, and a 503 when the store fails', async () => {
    status = 404;
    expect(await house.gateway.ask(far)).toMatchObject({ status: 404, error: { code: 'MODEL_NOT_FOUND' } });
    for (const code of [403, 500]) {
      status = code;
      expect(await house.gateway.ask(far)).toMatchObject({ status: 503, error: { code: 'SERVICE_UNAVAILABLE' } });
    }
    house.fake.recordings.set('nowhere', 'http://127.0.0.1:1/bucket/c.wav?X-Amz-Signature=s3cret');
    const away = await house.gateway.ask('/api/v1/recordings/nowhere.wav?signature=good');
    expect([away.status, away.headers['retry-after']]).toEqual([503, '1']);
  });

  it('leaves nothing of its address in answers and logs', async () => {
    status = 500;
    const answer = await house.gateway.ask(far);
    expect(answer.text).not.toContain('s3cret');
    expect(JSON.stringify(house.gateway.logLines)).not.toContain('s3cret');
  });
});

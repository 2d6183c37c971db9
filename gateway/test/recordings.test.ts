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

  it.each(['unknown.wav', 'deleted.wav', 'call.mp3', 'call'])('is a 404 if there is none: %s', async (name) => {
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

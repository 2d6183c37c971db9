import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { eventually } from '@sabia/testkit/eventually';
import { startS3Server } from '@sabia/testkit/s3-server';
import type { S3Server } from '@sabia/testkit/s3-server';
import { request } from 'undici';
import { createS3Store } from '../src/recordings/s3-store';
import { silentWave } from '../src/domain/wave';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage, Telephony } from './stage';

let s3: S3Server;
let stage: Stage;
let replica: Replica;

const configOf = (server: S3Server) => {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = server;
  return { endpoint, region, bucket, accessKeyId, secretAccessKey, prefix: 'audio/' };
};
const keyOf = (id: string): string => `audio/${id.slice(-2)}/${id}.wav`;

beforeAll(async () => {
  s3 = await startS3Server();
  stage = await openStage();
  replica = await stage.start({ recordingsS3: configOf(s3) });
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
  await s3?.close();
});

async function recordedCall(): Promise<{ telephony: Telephony; id: string }> {
  const telephony = replica.as(newAccount(stage, { gravarAudio: true }));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.hangupAfter(1) });
  await whenCall(telephony, id, 'ended');
  return { telephony, id };
}

const whenRecorded = (telephony: Telephony, id: string): Promise<string> =>
  eventually(async () => (await telephony.getCall({ id })).call!.record_url);

async function read(location: string, range?: string): Promise<{ status: number; body: Buffer; type?: string }> {
  const answer = await request(location, { headers: range === undefined ? {} : { range } });
  const body = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, body, type: String(answer.headers['content-type']) };
}

test('a recording is stored in the bucket and read through a signed URL, also in parts', async () => {
  const { telephony, id } = await recordedCall();
  const signature = new URL(await whenRecorded(telephony, id)).searchParams.get('signature')!;
  expect(s3.objects.get(keyOf(id))).toBe('audio/wav');

  const { location, contentType, size } = await telephony.getRecording({ callId: id, signature });
  const wave = silentWave(1);
  expect([contentType, size]).toEqual(['audio/wav', wave.length]);
  expect(await read(location)).toEqual({ status: 200, type: 'audio/wav', body: wave });
  expect(await read(location, 'bytes=0-3')).toMatchObject({ status: 206, body: Buffer.from('RIFF') });
  expect(location).not.toContain(s3.secretAccessKey);

  const forged = location.replace(id, randomUUID());
  expect((await read(forged)).status).toBe(403);
  const wrong = `${signature.startsWith('x') ? 'y' : 'x'}${signature.slice(1)}`;
  const refused = await refusal(telephony.getRecording({ callId: id, signature: wrong }));
  expect(refused.kind).toBe(ErrorKind.DENIED);
  expect((await stage.eventsOf(id)).map(({ type }) => type)).toContain('telephony.call.recorded');
});

test('an outage of the store loses nothing: the audio arrives when it is back', async () => {
  await s3.stop();
  const { telephony, id } = await recordedCall();
  const rowOf = async () =>
    (
      await stage.sql.query<{ tries: number; wait: number }>(
        `SELECT tries, extract(epoch FROM fetch_at - now())::float8 AS wait FROM recordings WHERE call_id = $1 AND fetch_at IS NOT NULL`,
        [id],
      )
    )[0]!;
  const soon = () => stage.sql.query('UPDATE recordings SET fetch_at = now() WHERE call_id = $1', [id]);
  await eventually(async () => (await rowOf()).tries >= 1);
  // Later every time, and never too late.
  await stage.sql.query('UPDATE recordings SET tries = 999, fetch_at = now() WHERE call_id = $1', [id]);
  await eventually(async () => (await rowOf()).tries === 1000);
  expect((await rowOf()).wait).toBeGreaterThan(280);
  await soon();
  await eventually(async () => (await rowOf()).wait > 280);
  expect((await rowOf()).tries).toBe(1000);
  expect((await telephony.getCall({ id })).call!.record_url).toBeUndefined();

  await s3.start();
  s3.refuse = (method) => (method === 'PUT' ? 503 : undefined);
  await soon();
  await eventually(() => s3.requests.includes(`PUT ${keyOf(id)} 503`));
  s3.refuse = undefined;
  await soon();
  await whenRecorded(telephony, id);
  expect(s3.objects.has(keyOf(id))).toBe(true);
  expect((await stage.eventsOf(id)).filter(({ type }) => type === 'telephony.call.recorded')).toHaveLength(1);
});

test('long audio is streamed, not held in memory', async () => {
  const store = createS3Store(configOf(s3));
  const [chunks, chunkBytes] = [2_400, 65_536];
  let peak = 0;
  const content = Readable.from(
    (function* () {
      for (let n = 0; n < chunks; n += 1) {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers);
        yield Buffer.alloc(chunkBytes, n);
      }
    })(),
  );
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 10);
  const id = randomUUID();
  const before = process.memoryUsage().arrayBuffers;
  expect(await store.put(id, { content, contentType: 'audio/wav' })).toEqual({ size: chunks * chunkBytes });
  clearInterval(watch);
  expect(peak - before).toBeLessThan((chunks * chunkBytes) / 2);
  // The store has checked the hash of what arrived.
  expect(s3.objects.get(keyOf(id))).toBe('audio/wav');
  await store.remove(id);
  await store.remove(id);
  expect(s3.objects.has(keyOf(id))).toBe(false);
  await store.close();
});

test('audio that breaks off leaves nothing behind', async () => {
  const store = createS3Store(configOf(s3));
  const id = randomUUID();
  const content = Readable.from(
    (function* () {
      yield Buffer.from('RIFF');
      throw new Error('the switch has gone');
    })(),
  );
  await expect(store.put(id, { content, contentType: 'audio/wav' })).rejects.toThrow('the switch has gone');
  expect(s3.requests.some((line) => line.includes(id))).toBe(false);
  await store.close();
});

test('wrong keys are refused by the store, and no error contains the secret', async () => {
  const config = { ...configOf(s3), secretAccessKey: 'not-the-secret' };
  const store = createS3Store(config);
  const put = store.put(randomUUID(), { content: Readable.from([Buffer.from('x')]), contentType: 'audio/wav' });
  const error = await put.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  expect(error).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  expect(`${error!.message} ${error!.stack} ${JSON.stringify(error)}`).not.toContain('not-the-secret');
  await store.close();
});

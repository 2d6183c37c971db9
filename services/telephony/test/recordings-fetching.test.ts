import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { CallRecorded } from '@sabia/protos/sabia/telephony/v1/events';
import { unavailable } from '@sabia/service-kit/errors';
import { createOutbox, newEventId } from '@sabia/service-kit/events/outbox';
import { createRecordingUrls } from '../src/domain/recording-url';
import { getRecording } from '../src/rpc/get-recording';
import type { Dependencies } from '../src/rpc/dependencies';
import { savePreferences } from '../src/storage/account-zones';
import { findMp3Size } from '../src/storage/recordings';
import { readTimeline } from '../src/storage/timeline';
import type { CallSwitch } from '../src/switch/port';
import { createDiskStore } from '../src/recordings/disk-store';
import { createRecordingFetcher } from '../src/recordings/fetcher';
import { createMp3Copies } from '../src/recordings/mp3-copies';
import type { Mp3Copies } from '../src/recordings/mp3-copies';
import { createSimulatedSwitch } from '../src/switch/simulated/switch';
import { silentWave } from '../src/domain/wave';
import { eventually } from '@sabia/testkit/eventually';
import { newAccount, openStage, silent } from './stage';
import type { Stage } from './stage';

let stage: Stage;
/** The clock of the fetcher. */
let now: Date;

beforeAll(async () => {
  stage = await openStage();
});

beforeEach(() => {
  now = new Date();
});

afterAll(async () => {
  await stage?.close();
});

/** A call of ten seconds whose audio is due. */
async function recordedCall({ ended = true } = {}): Promise<string> {
  const { accountId, domain } = newAccount(stage);
  const id = newEventId(now);
  const endedAt = new Date(now.getTime() + 10_000);
  await stage.sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, metadata, record)
     VALUES ($1, $2, 1, $3, 'UTC', 'outbound', $4, '1000', '5511', $5, $5, $6, 10, $7, $8, '', '', '', '{}', true)`,
    [
      id,
      accountId,
      domain,
      ended ? 'ended' : 'answered',
      now,
      ...(ended ? [endedAt, 'NORMAL_CLEARING', '16'] : [null, null, null]),
    ],
  );
  await stage.sql.query(
    `INSERT INTO recordings (call_id, account_id, switch, fetch_at) VALUES ($1, $2, 'simulated', $3)`,
    [id, accountId, now],
  );
  if (!ended) {
    await stage.sql.query(
      `INSERT INTO live_calls (call_id, account_id, switch, ramal, due_at) VALUES ($1, $2, 'simulated', '1000', 'infinity')`,
      [id, accountId],
    );
  }
  return id;
}

const urls = createRecordingUrls({ publicUrl: 'http://sabia.test', secret: 'a secret of the test' });
const copies = () => createMp3Copies({ database: stage.sql, store: createDiskStore(stage.recordingsFolder) });

const fetcher = (overrides: Partial<CallSwitch>, mp3Copies: Pick<Mp3Copies, 'makeAhead'> = copies()) =>
  createRecordingFetcher({
    database: stage.sql,
    outbox: createOutbox({ poke: () => undefined }),
    callSwitch: { ...createSimulatedSwitch(), ...overrides },
    store: createDiskStore(stage.recordingsFolder),
    mp3Copies,
    urls,
    metrics: { recording: () => undefined },
    log: silent,
    now: () => now,
  });

const audioOf = (seconds: number): Partial<CallSwitch> => ({
  fetchRecording: async () => ({
    ...{ content: Readable.from([silentWave(seconds)]), contentType: 'audio/wav', wholeSeconds: 10 },
  }),
});

const later = (seconds: number): void => void (now = new Date(now.getTime() + seconds * 1000));

async function toldOf(id: string): Promise<CallRecorded | undefined> {
  const rows = await stage.sql.query<{ payload: Buffer }>(
    `SELECT payload FROM outbox WHERE type = 'telephony.call.recorded' ORDER BY position`,
  );
  return rows.map(({ payload }) => CallRecorded.decode(payload)).find(({ call }) => call!.callId === id);
}

const rowOf = async (id: string) =>
  (await stage.sql.query('SELECT recorded_at, missing_seconds, drop_at FROM recordings WHERE call_id = $1', [id]))[0];

test('audio that is too short is waited for', async () => {
  const id = await recordedCall();
  await fetcher(audioOf(5))();
  expect(await toldOf(id)).toBeUndefined();
  later(60);
  await fetcher(audioOf(10))();
  expect((await toldOf(id))!.missingSeconds).toBeUndefined();
  expect(await rowOf(id)).toMatchObject({ missing_seconds: null });
  const file = createDiskStore(stage.recordingsFolder).locationOf(id);
  expect(readFileSync(file)).toHaveLength(44 + 160_000);
});

test('audio that stays too short is declared: in its row, in the timeline and in the event', async () => {
  const id = await recordedCall();
  for (let round = 0; round < 3; round += 1, later(60)) await fetcher(audioOf(5))();
  expect((await toldOf(id))!.missingSeconds).toBe(5);
  expect(await rowOf(id)).toMatchObject({ missing_seconds: 5 });
  expect((await readTimeline(stage.sql, id)).at(-1)).toMatchObject({
    ...{ kind: 'recording', message: 'recording stored, part of the call is missing' },
    detail: { bytes: 44 + 80_000, missingSeconds: 5 },
  });
});

test('a recording that ended early is not taken for the whole while the call lasts', async () => {
  const id = await recordedCall({ ended: false });
  later(3600);
  const asked: string[] = [];
  await fetcher({ fetchRecording: async (call) => void asked.push(call.id) })();
  expect(asked).not.toContain(id);
});

test('audio that could not be deleted from the switch is deleted later, once', async () => {
  const id = await recordedCall();
  const dropped: string[] = [];
  await fetcher({ ...audioOf(10), dropRecording: () => Promise.reject(new Error('away')) })();
  expect(await toldOf(id)).toBeDefined();
  const working = fetcher({ dropRecording: async (callId) => void dropped.push(callId) });
  for (let round = 0; round < 3; round += 1, later(3600)) await working();
  expect(dropped.filter((callId) => callId === id)).toEqual([id]);
  expect(await rowOf(id)).toMatchObject({ drop_at: null });
});

async function wantMp3(callId: string): Promise<void> {
  const [{ accountId } = { accountId: 0 }] = await stage.sql.query<{ accountId: number }>(
    'SELECT account_id AS "accountId" FROM calls WHERE id = $1',
    [callId],
  );
  const preferences = { timeZone: 'UTC', areaCode: '', recordingFormat: 'mp3' };
  await savePreferences(stage.sql, { accountId, ...preferences, toldAt: now });
}

const mp3SizeOf = (id: string) => findMp3Size(stage.sql, id);

test('the MP3 of an account that prefers MP3 is made ahead; that of another is not', async () => {
  const [wanted, other] = [await recordedCall(), await recordedCall()];
  await wantMp3(wanted);
  await fetcher(audioOf(10))();
  expect(await eventually(() => mp3SizeOf(wanted))).toBeGreaterThan(0);
  expect(await mp3SizeOf(other)).toBeUndefined();
});

test('a recording whose MP3 cannot be made is stored and published', async () => {
  const id = await recordedCall();
  await wantMp3(id);
  await fetcher(audioOf(10), { makeAhead: () => Promise.reject(unavailable()) })();
  expect(await toldOf(id)).toBeDefined();
});

test('a request for an MP3 that is not ready in time gets a retry time, and a later one finds it', async () => {
  const id = await recordedCall();
  await fetcher(audioOf(10))();
  let ready = (): void => undefined;
  const made = new Promise<void>((resolve) => (ready = resolve));
  const disk = createDiskStore(stage.recordingsFolder);
  const store = { ...disk, read: async (name: string) => (await made, disk.read(name)) };
  const mp3Copies = createMp3Copies({ database: stage.sql, store });
  const answer = getRecording({ database: stage.sql, store, mp3Copies, urls, now: () => new Date() } as Dependencies);
  const ask = (seconds: number) =>
    answer({ callId: id, signature: new URL(urls.urlOf(id)).searchParams.get('signature')!, format: 'mp3' }, {
      signal: new AbortController().signal,
      deadline: new Date(Date.now() + seconds * 1000),
    } as Parameters<typeof answer>[1]);
  await expect(ask(1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
  ready();
  const found = await eventually(() => ask(60));
  expect(found).toMatchObject({ contentType: 'audio/mpeg', size: await mp3SizeOf(id) });
});

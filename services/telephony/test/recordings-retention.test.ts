import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createRecordingUrls } from '../src/domain/recording-url';
import { createRecordingCleaner } from '../src/recordings/cleaner';
import { createDiskStore } from '../src/recordings/disk-store';
import { createMp3Copies } from '../src/recordings/mp3-copies';
import type { RecordingStore } from '../src/recordings/store';
import { silentWave } from '../src/domain/wave';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, openStage, silent } from './stage';
import type { Replica, Stage } from './stage';

const DAY_MS = 86_400_000;
const today = new Date('2031-05-20T12:00:00Z');
let stage: Stage;
let replica: Replica;
let store: RecordingStore;
const { urlOf } = createRecordingUrls({ publicUrl: 'http://sabia.test', secret: 'a secret of the test' });

beforeAll(async () => {
  stage = await openStage();
  store = createDiskStore(stage.recordingsFolder);
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

/** Recordings of ended calls, so many days old. */
async function record(ages: number[]): Promise<string[]> {
  const { accountId, domain } = newAccount(stage);
  const ids = ages.map((age) => newEventId(new Date(today.getTime() - age * DAY_MS)));
  const times = ages.map((age) => new Date(today.getTime() - age * DAY_MS));
  await stage.sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, metadata, record, record_url)
     SELECT id, $2, 1, $3, 'UTC', 'outbound', 'ended', '1000', '5511', at, at, 1, 'NORMAL_CLEARING', '16', '', '', '', '{}',
       true, $4 || id FROM unnest($1::uuid[], $5::timestamptz[]) AS given (id, at)`,
    [ids, accountId, domain, 'http://sabia.test/', times],
  );
  await stage.sql.query(
    `INSERT INTO recordings (call_id, account_id, switch, recorded_at, content_type, size)
     SELECT id, $2, 'none', at, 'audio/wav', 4 FROM unnest($1::uuid[], $3::timestamptz[]) AS given (id, at)`,
    [ids, accountId, times],
  );
  for (const id of ids)
    await store.put(id, { content: Readable.from([Buffer.from('RIFF')]), contentType: 'audio/wav' });
  return ids;
}

const cleaner = (overrides: { remove?: RecordingStore['remove']; retentionDays?: number; now?: () => Date } = {}) =>
  createRecordingCleaner({
    database: stage.sql,
    store: { remove: overrides.remove ?? ((id) => store.remove(id)) },
    retentionDays: overrides.retentionDays ?? 90,
    log: silent,
    now: overrides.now ?? (() => today),
  });

const isThere = (id: string): boolean => existsSync(store.locationOf(id));

async function rowOf(id: string) {
  const [row] = await stage.sql.query<{ deleted_at: Date | null; removed_at: Date | null; record_url: string | null }>(
    'SELECT deleted_at, removed_at, record_url FROM recordings JOIN calls ON calls.id = call_id WHERE call_id = $1',
    [id],
  );
  return row!;
}

async function asked(id: string): Promise<ErrorKind | 'there'> {
  const signature = new URL(urlOf(id)).searchParams.get('signature')!;
  const question = replica.as(newAccount(stage)).getRecording({ callId: id, signature });
  return question.then(
    () => 'there' as const,
    async () => (await refusal(question)).kind,
  );
}

test('a recording older than the retention time is deleted, to the moment', async () => {
  const [old, edge, young] = (await record([90.001, 89.999, 0])) as [string, string, string];
  await cleaner()();
  expect(await rowOf(old)).toEqual({ deleted_at: today, removed_at: today, record_url: null });
  expect([isThere(old), await asked(old)]).toEqual([false, ErrorKind.NOT_FOUND]);
  for (const id of [edge, young]) {
    expect(await rowOf(id)).toMatchObject({ deleted_at: null, removed_at: null, record_url: expect.any(String) });
    expect([isThere(id), await asked(id)]).toEqual([true, 'there']);
  }
  // A day later the next one has come of age.
  const tomorrow = new Date(today.getTime() + DAY_MS);
  await cleaner({ now: () => tomorrow })();
  expect((await rowOf(edge)).deleted_at).toEqual(tomorrow);
  expect(await asked(young)).toBe('there');
});

test('kept for ever when no days are given', async () => {
  const [ancient] = (await record([20_000])) as [string];
  await cleaner({ retentionDays: 0 })();
  expect([isThere(ancient), (await rowOf(ancient)).deleted_at]).toEqual([true, null]);
});

test('a recording that the store did not remove is a 404, and its removal is tried again', async () => {
  const ids = await record(Array.from({ length: 50 }, (_, index) => 100 + index));
  const stubborn = new Set([ids[49], ids[30], ids[3]]);
  const remove = async (id: string): Promise<void> => {
    if (stubborn.has(id)) throw new Error('the store is away');
    await store.remove(id);
  };
  await cleaner({ remove })();
  for (const id of ids) {
    expect(await rowOf(id)).toEqual({
      deleted_at: today,
      removed_at: stubborn.has(id) ? null : today,
      record_url: null,
    });
    expect(isThere(id)).toBe(stubborn.has(id));
  }
  for (const id of stubborn) expect(await asked(id!)).toBe(ErrorKind.NOT_FOUND);

  stubborn.delete(ids[30]);
  const later = new Date(today.getTime() + 3_600_000);
  await cleaner({ remove, now: () => later })();
  expect(await rowOf(ids[30]!)).toEqual({ deleted_at: today, removed_at: later, record_url: null });
  stubborn.clear();
  await cleaner({ remove })();
  expect(ids.filter(isThere)).toEqual([]);
});

test('the next process removes what one that died had only marked', async () => {
  const [id] = (await record([100])) as [string];
  await stage.sql.query('UPDATE recordings SET deleted_at = $2 WHERE call_id = $1', [id, today]);
  expect(isThere(id)).toBe(true);
  // Two at once do no harm.
  await Promise.all([cleaner()(), cleaner()()]);
  expect([isThere(id), (await rowOf(id)).removed_at]).toEqual([false, today]);
  expect(await asked(randomUUID())).toBe(ErrorKind.NOT_FOUND);
});

test('an MP3 that is ready after its recording was deleted does not stay', async () => {
  const [id] = (await record([91])) as [string];
  await store.put(id, { content: Readable.from([silentWave(1)]), contentType: 'audio/wav' });
  const slow: RecordingStore = {
    ...store,
    async put(...audio) {
      await cleaner()();
      return store.put(...audio);
    },
  };
  const wanted = createMp3Copies({ database: stage.sql, store: slow }).sizeOf({ callId: id, accountId: 1 });
  await expect(wanted).rejects.toMatchObject({ kind: ErrorKind.NOT_FOUND });
  expect([isThere(id), existsSync(store.locationOf(id, 'mp3'))]).toEqual([false, false]);
});

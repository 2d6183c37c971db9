import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createRecordingUrls } from '../src/domain/recording-url';
import { createRecordingCleaner } from '../src/recordings/cleaner';
import type { CleanerOptions } from '../src/recordings/cleaner';
import { createDiskStore } from '../src/recordings/disk-store';
import { createMp3Copies } from '../src/recordings/mp3-copies';
import type { RecordingStore } from '../src/recordings/store';
import { silentWave } from '../src/domain/wave';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, openStage, silent } from './stage';
import type { Replica, Stage } from './stage';
import { saveLimits } from '../src/storage/account-limits';
import { deleteOlderThan, listAccountsWithRecordings } from '../src/storage/recording-retention';
import { takeUndropped } from '../src/storage/recordings';
import { endFirstPartition } from './support/months';

const DAY_MS = 86_400_000;
const today = new Date('2031-05-20T12:00:00Z');
let stage: Stage;
let replica: Replica;
let store: RecordingStore;
const { urlOf } = createRecordingUrls({ publicUrl: 'http://sabia.test', secret: 'a secret of the test' });

beforeAll(async () => {
  stage = await openStage();
  for (const table of ['calls', 'recordings'] as const)
    await endFirstPartition(stage.sql, new Date('2032-01-01'), table);
  store = createDiskStore(stage.recordingsFolder);
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

/** Recordings of ended calls, so many days old. */
async function record(ages: number[], { accountId, domain } = newAccount(stage)): Promise<string[]> {
  const ids = ages.map((age) => newEventId(new Date(today.getTime() - age * DAY_MS)));
  const times = ages.map((age) => new Date(today.getTime() - age * DAY_MS));
  await stage.sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, metadata, record, record_url)
     SELECT id, $2, 1, $3, 'UTC', 'outbound', 'ended', '1000', '5511', at, at, at, 1, 'NORMAL_CLEARING', '16', '', '', '', '{}',
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

const cleaner = (overrides: Partial<Omit<CleanerOptions, 'store'> & CleanerOptions['store']> = {}) =>
  createRecordingCleaner({
    ...{ database: stage.sql, retentionDays: 90, callRetentionDays: 0, log: silent, now: () => today, ...overrides },
    store: { remove: overrides.remove ?? ((id) => store.remove(id)) },
  });

const isThere = (id: string): boolean => existsSync(store.locationOf(id));

interface Row {
  deleted_at: Date | null;
  removed_at: Date | null;
}

const rowOf = async (id: string): Promise<Row | undefined> =>
  (await stage.sql.query<Row>('SELECT deleted_at, removed_at FROM recordings WHERE call_id = $1', [id]))[0];

const hasLink = async (id: string): Promise<boolean> =>
  (await stage.sql.query('SELECT FROM calls WHERE id = $1 AND record_url IS NOT NULL', [id])).length > 0;

/** What those who follow the link are told. */
async function asked(id: string): Promise<string> {
  const signature = new URL(urlOf(id)).searchParams.get('signature')!;
  const question = replica.as(newAccount(stage)).getRecording({ callId: id, signature });
  return question.then(
    () => 'there',
    async () => (await refusal(question)).code,
  );
}

/** Whether there are audio, row and link, and what those who ask are told. */
const traceOf = async (id: string) => ({
  ...{ audio: isThere(id), row: (await rowOf(id)) !== undefined, link: await hasLink(id), told: await asked(id) },
});
const kept = { audio: true, row: true, link: true, told: 'there' };
const gone = { audio: false, row: false, link: false, told: 'RECORDING_EXPIRED' };

const setDays = (accountId: number, recordingRetentionDays: number | null) =>
  saveLimits(stage.sql, { accountId, liveCalls: null, recordingRetentionDays, toldAt: new Date() });

test('a recording older than the retention time is deleted, to the moment', async () => {
  const [old, edge, young] = (await record([90.001, 89.999, 0])) as [string, string, string];
  await cleaner()();
  expect(await traceOf(old)).toEqual(gone);
  for (const id of [edge, young]) expect(await traceOf(id)).toEqual(kept);
  // A day later the next one has come of age.
  const tomorrow = new Date(today.getTime() + DAY_MS);
  await cleaner({ now: () => tomorrow })();
  expect(await traceOf(edge)).toEqual(gone);
  expect(await traceOf(young)).toEqual(kept);
});

test('kept for ever when no days are given', async () => {
  const [ancient] = (await record([20_000])) as [string];
  await cleaner({ retentionDays: 0 })();
  expect(await traceOf(ancient)).toEqual(kept);
});

test('an account with a number of its own keeps recordings so long, others as long as the platform says', async () => {
  const [brief, usual, long] = [newAccount(stage), newAccount(stage), newAccount(stage)];
  await setDays(brief.accountId, 7);
  await setDays(long.accountId, 365);
  const ages = [6.999, 7.001, 89.999, 90.001, 364.999, 365.001];
  const statesOf = async (ids: string[]) => (await Promise.all(ids.map(traceOf))).map(({ told }) => told === 'there');
  const ofBrief = await record(ages, brief);
  const ofUsual = await record(ages, usual);
  const ofLong = await record(ages, long);
  await cleaner()();
  expect(await statesOf(ofBrief)).toEqual([true, false, false, false, false, false]);
  expect(await statesOf(ofUsual)).toEqual([true, true, true, false, false, false]);
  expect(await statesOf(ofLong)).toEqual([true, true, true, true, true, false]);
  for (const id of [ofBrief[1]!, ofUsual[3]!, ofLong[5]!]) expect(await traceOf(id)).toEqual(gone);

  // A changed number counts for what is there, and the platform's own when it is taken back.
  await setDays(long.accountId, 30);
  await setDays(brief.accountId, null);
  const weekLater = new Date(today.getTime() + 7 * DAY_MS);
  await cleaner({ now: () => weekLater })();
  expect(await statesOf(ofLong)).toEqual([true, true, false, false, false, false]);
  expect(await statesOf(ofBrief)).toEqual([true, false, false, false, false, false]);
});

test('a number of its own holds where the platform keeps recordings for ever, and no recording outlasts its call', async () => {
  const [brief, long] = [newAccount(stage), newAccount(stage)];
  await setDays(brief.accountId, 7);
  await setDays(long.accountId, 365);
  const [expired] = (await record([8], brief)) as [string];
  const [old, older] = (await record([50, 200], long)) as [string, string];
  await cleaner({ retentionDays: 0 })();
  expect([await traceOf(expired), await traceOf(old), await traceOf(older)]).toEqual([gone, kept, kept]);
  await cleaner({ retentionDays: 0, callRetentionDays: 100 })();
  expect([await traceOf(old), await traceOf(older)]).toEqual([kept, gone]);
});

test('the caller who asks for the recording of a call is told why there is none', async () => {
  const owner = newAccount(stage);
  const [expired, unanswered] = (await record([91, 1], owner)) as [string, string];
  await stage.sql.query('DELETE FROM recordings WHERE call_id = $1', [unanswered]);
  await stage.sql.query('UPDATE calls SET answered_at = NULL WHERE id = $1', [unanswered]);
  await cleaner()();
  const ask = (id: string, caller = owner) => refusal(replica.as(caller).getRecordingLink({ id }));
  expect(await ask(expired)).toMatchObject({
    kind: ErrorKind.NOT_FOUND,
    code: 'RECORDING_EXPIRED',
    message: 'The time for which recordings of this account are kept is over for this one.',
  });
  expect(await ask(unanswered)).toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' });
  expect(await ask(expired, newAccount(stage))).toMatchObject({ code: 'MODEL_NOT_FOUND' });
});

test('a clean reads what it removes and a little of each account, however much is kept', async () => {
  const busy = newAccount(stage);
  await stage.sql.query(
    `INSERT INTO recordings (call_id, account_id, switch, recorded_at, content_type, size)
     SELECT lpad(to_hex(number), 32, '0')::uuid, $1, 'none', $2::timestamptz - interval '1 minute' * number, 'audio/wav', 4
     FROM generate_series(1, 20000) AS number`,
    [busy.accountId, today],
  );
  await stage.sql.query('ANALYZE recordings');
  const plans: string[] = [];
  const explained: Queryable = {
    async query(text: string, parameters?: unknown[]) {
      const rows = await stage.sql.query<Record<string, string>>(
        `EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ${text}`,
        parameters,
      );
      plans.push(rows.map((row) => Object.values(row)[0]).join('\n'));
      return [];
    },
    scan: () => Promise.reject(new Error('nothing here scans')),
  };
  const before = new Date(today.getTime() - 7 * DAY_MS);
  await listAccountsWithRecordings(explained, { after: 0, limit: 1000 });
  await deleteOlderThan(explained, { accountId: busy.accountId, before, now: today, limit: 200 });
  for (const plan of plans) {
    expect(plan).toContain('recordings_before_of_account');
    expect(plan).not.toContain('Seq Scan on recordings');
    const most = Math.max(...[...plan.matchAll(/recordings.* rows=([\d.]+)/g)].map(([, rows]) => Number(rows)));
    expect(most).toBeLessThanOrEqual(200);
  }
  await stage.sql.query('DELETE FROM recordings WHERE account_id = $1', [busy.accountId]);
});

test('a recording that the store did not remove cannot be heard, and its removal is tried again', async () => {
  const ids = await record(Array.from({ length: 50 }, (_, index) => 100 + index));
  const stubborn = new Set([ids[49], ids[30], ids[3]]);
  const remove = async (id: string): Promise<void> => {
    if (stubborn.has(id)) throw new Error('the store is away');
    await store.remove(id);
  };
  await cleaner({ remove })();
  for (const id of ids) expect(await traceOf(id)).toEqual({ ...gone, audio: stubborn.has(id), row: stubborn.has(id) });

  stubborn.delete(ids[30]);
  const later = new Date(today.getTime() + 3_600_000);
  await cleaner({ remove, now: () => later })();
  expect(await traceOf(ids[30]!)).toEqual(gone);
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
  expect([isThere(id), await rowOf(id)]).toEqual([false, undefined]);
  expect(await asked(randomUUID())).toBe('MODEL_NOT_FOUND');
});

test('a copy that is still on the switch is not forgotten with the recording', async () => {
  const [id] = (await record([100])) as [string];
  await stage.sql.query(`UPDATE recordings SET switch = 'away', drop_at = $2 WHERE call_id = $1`, [id, today]);
  await cleaner()();
  expect([isThere(id), await asked(id), await rowOf(id)]).toEqual([
    false,
    'RECORDING_EXPIRED',
    { deleted_at: today, removed_at: today },
  ]);
  const due = { switchName: 'away', now: today, nextAt: today, limit: 10 };
  expect(await takeUndropped(stage.sql, due)).toEqual([id]);
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
  await expect(wanted).rejects.toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'RECORDING_EXPIRED' });
  expect([isThere(id), existsSync(store.locationOf(id, 'mp3'))]).toEqual([false, false]);
});

import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { addToTimelines, readTimeline } from '../src/storage/timeline';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';
import { keeperOf } from './support/months';

let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

const monthsFrom = (start: Date, months: number): Date =>
  new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months));

const keeperAt = (now: Date, timelines = 0) => keeperOf(stage.sql, { timelines }, now);

const partitions = async (): Promise<string[]> => {
  const rows = await stage.sql.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'call_timeline'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

const nameOf = (month: Date): string => `call_timeline_${month.toISOString().slice(0, 7).replace('-', '_')}`;

test('the timelines of the months to come have their partitions from the start, each made once', async () => {
  const telephony = replica.as(newAccount(stage));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.busy });
  await whenCall(telephony, id, 'ended');
  const before = (await telephony.getCallTimeline({ id })).entries;
  expect(before.length).toBeGreaterThan(1);

  const now = new Date();
  await Promise.all([keeperAt(now)(), keeperAt(now)(), keeperAt(now)()]);
  const ahead = [2, 3, 4, 5, 6].map((months) => nameOf(monthsFrom(now, months)));
  expect(await partitions()).toEqual([...ahead, 'call_timeline_before'].sort());

  const later = firstIdOf(monthsFrom(now, 4));
  await addToTimelines(stage.sql, [{ callId: later, at: now, kind: 'leg', message: 'later' }]);
  expect(await readTimeline(stage.sql, later)).toMatchObject([{ message: 'later' }]);
  const [row] = await stage.sql.query<{ home: string }>(
    'SELECT tableoid::regclass::text AS home FROM call_timeline WHERE call_id = $1',
    [later],
  );
  expect(row!.home).toBe(nameOf(monthsFrom(now, 4)));
  expect((await telephony.getCallTimeline({ id })).entries).toEqual(before);
});

test('months whose time is over are dropped, the others and the calls themselves stay', async () => {
  const telephony = replica.as(newAccount(stage));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.busy });
  await whenCall(telephony, id, 'ended');
  const now = new Date();
  const kept = firstIdOf(monthsFrom(now, 3));
  await addToTimelines(stage.sql, [{ callId: kept, at: now, kind: 'leg', message: 'kept' }]);

  await keeperAt(now, 30)();
  expect(await partitions()).toContain('call_timeline_before');
  // In the fourth month from now, with thirty days of retention, the months before the third are over.
  await keeperAt(new Date(monthsFrom(now, 4).getTime() - 86_400_000), 30)();
  expect(await partitions()).not.toContain('call_timeline_before');
  expect(await readTimeline(stage.sql, kept)).toMatchObject([{ message: 'kept' }]);
  expect((await telephony.getCall({ id })).call!.status).toBe('ended');
  expect((await telephony.getCallTimeline({ id })).entries.map(({ message }) => message)).toContain('call ended');
});

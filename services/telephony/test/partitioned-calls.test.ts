import { migrateService } from '@sabia/embedded/database';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { eventually } from '@sabia/testkit/eventually';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage, Telephony } from './stage';
import { partitionByHand, undoPartitions } from './support/former-calls';
import { insertCalls } from './support/insert-calls';
import { keeperOf } from './support/months';

let stage: Stage;
let replica: Replica | undefined;

beforeEach(async () => {
  stage = await openStage();
  await undoPartitions(stage.sql);
});

afterEach(async () => {
  await replica?.stop();
  replica = undefined;
  await stage?.close();
});

const now = new Date();
const monthsFromNow = (months: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
const nameOf = (month: Date): string => `calls_${month.toISOString().slice(0, 7).replace('-', '_')}`;

const keep = async (): Promise<void> => keeperOf(stage.sql)();

/** The partition that a row is in. */
const homeOf = async (id: string): Promise<string | undefined> =>
  (await stage.sql.query<{ home: string }>('SELECT tableoid::regclass::text AS home FROM calls WHERE id = $1', [id]))[0]
    ?.home;

const partitions = async (table = 'calls_final'): Promise<string[]> => {
  const rows = await stage.sql.query<{ name: string }>(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1',
    [table],
  );
  return rows.map(({ name }) => name);
};

/** Names of indexes of a table, and the files in which they are, without those that later migrations replace. */
const indexesOf = async (table: string): Promise<{ name: string; file: number }[]> =>
  stage.sql.query(
    `SELECT relname AS name, relfilenode AS file FROM pg_index JOIN pg_class ON oid = indexrelid
     WHERE indrelid = $1::regclass AND relname !~ 'dial_id|words' ORDER BY 1`,
    [table],
  );

const migrateOn = async (): Promise<void> => migrateService('telephony', stage.database.url);

async function placeOn(telephony: Telephony, called: string): Promise<string> {
  return (await telephony.placeCall({ extension: '1000', called, metadata: '{"a":1}' })).id;
}

/** Its recording can be fetched. */
const whenRecorded = (telephony: Telephony, id: string) =>
  eventually(async () => (await telephony.getCall({ id })).call!.record_url !== undefined);

test('calls and recordings become partitions: old ones stay with their indexes, live ones are current, new ones come', async () => {
  const caller = newAccount(stage, { gravarAudio: true });
  const dialId = newEventId(monthsFromNow(-2));
  const written = [{ at: monthsFromNow(-2).toISOString() }, { at: now.toISOString(), live: true, metadata: { a: 1 } }];
  const [old, live] = (await insertCalls(stage.sql, caller.accountId, written, 'calls')) as [string, string];
  await stage.sql.query('UPDATE calls SET dial_id = $2 WHERE id = $1', [old, dialId]);
  await stage.sql.query(`INSERT INTO recordings (call_id, account_id, switch) VALUES ($1, $2, 'none')`, [
    ...[old, caller.accountId],
  ]);
  const before = await indexesOf('calls');
  const beforeOfRecordings = await indexesOf('recordings');

  await migrateOn();

  expect(await indexesOf('calls_before')).toEqual(
    before.map(({ name, file }) => ({ name: name.replace('calls_', 'calls_before_'), file })),
  );
  expect((await indexesOf('calls_final')).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  const files = beforeOfRecordings.filter(({ name }) => name !== 'recordings_kept').map(({ file }) => file);
  expect((await indexesOf('recordings_before')).map(({ file }) => file)).toEqual(expect.arrayContaining(files));
  expect((await indexesOf('recordings')).map(({ name }) => name)).toEqual([
    ...[
      'recordings_of_account',
      'recordings_pkey',
      'recordings_to_drop',
      'recordings_to_fetch',
      'recordings_to_remove',
    ],
  ]);
  expect(await partitions('recordings')).toEqual(['recordings_before']);
  replica = await stage.start();
  const telephony = replica.as(caller);
  const fresh = await placeOn(telephony, numbers.hangupAfter(1));
  await whenCall(telephony, fresh, 'ended');
  await whenRecorded(telephony, fresh);
  const list = await telephony.listCalls({ page: 1, filter: '{"where":{"metadata.a":1},"order":"started_at ASC"}' });
  expect(list.data.map(({ id }) => id)).toEqual([live, fresh]);
  expect((await telephony.listCalls({ page: 1 })).meta?.totalItemCount).toBe(3);
  expect((await telephony.getCall({ id: dialId })).call!.id).toBe(old);
  expect((await telephony.listLiveCalls({})).calls.map(({ id }) => id)).toEqual([live]);
  expect([await homeOf(old), await homeOf(live)]).toEqual(['calls_before', 'calls_current']);

  // Two replicas at once.
  await Promise.all([keep(), keep()]);
  expect(await partitions()).toEqual([
    ...[2, 3, 4, 5, 6].map((months) => nameOf(monthsFromNow(months))),
    'calls_before',
  ]);
  expect((await partitions('recordings')).at(4)).toBe(nameOf(monthsFromNow(6)).replace('calls', 'recordings'));
  const later = newEventId(monthsFromNow(5));
  await insertCalls(stage.sql, 1, [{ at: monthsFromNow(5).toISOString() }]);
  const again = `INSERT INTO calls_final SELECT (jsonb_populate_record(calls_final, jsonb_build_object('id', $1::text))).* FROM calls_final LIMIT 1`;
  await stage.sql.query(again, [later]);
  expect(await homeOf(later)).toBe(nameOf(monthsFromNow(5)));
  // One record per id, whichever partition it is in.
  for (const id of [later, old]) await expect(stage.sql.query(again, [id])).rejects.toMatchObject({ code: '23505' });
});

test.each([
  ['without calls in it', false],
  ['with calls in it', true],
])(
  'partitions made by hand, with one for the rest %s, become like those of every installation',
  async (_how, isUsed) => {
    // The weekly command was run before this month, and not since.
    const until = monthsFromNow(isUsed ? 0 : 3);
    const [old] = await insertCalls(stage.sql, 7, [{ at: monthsFromNow(-1).toISOString() }], 'calls');
    const names = (await indexesOf('calls')).map(({ name }) => name);
    await partitionByHand(stage.sql, { until: firstIdOf(until), withRest: true });
    const recent = isUsed ? await insertCalls(stage.sql, 7, [{ at: now.toISOString() }], 'calls') : [];

    await migrateOn();
    await keep();

    expect((await indexesOf('calls_final')).map(({ name }) => name)).toEqual(names);
    const ahead = [2, 3, 4, 5, 6].map(monthsFromNow).filter((month) => month >= until);
    expect(await partitions()).toEqual(
      [...ahead.map(nameOf), ...(isUsed ? ['calls_default'] : []), 'calls_until_partitions'].sort(),
    );
    replica = await stage.start();
    const telephony = replica.as({ ...newAccount(stage), accountId: 7 });
    const { data } = await telephony.listCalls({ filter: '{"order":"id ASC"}' });
    expect(data.map(({ id }) => id)).toEqual([old, ...recent]);
    const caller = newAccount(stage);
    await whenCall(replica.as(caller), await placeOn(replica.as(caller), numbers.busy), 'ended');
  },
);

test('partitions made by hand without one for the rest stay as they are', async () => {
  await partitionByHand(stage.sql, { until: firstIdOf(monthsFromNow(2)), withRest: false });
  await migrateOn();
  await keep();
  expect(await partitions()).toEqual([
    ...[2, 3, 4, 5, 6].map((months) => nameOf(monthsFromNow(months))),
    'calls_until_partitions',
  ]);
  const [words] = await stage.sql.query<{ isWhole: boolean }>(
    `SELECT indisvalid AS "isWhole" FROM pg_index WHERE indexrelid = 'calls_account_words'::regclass`,
  );
  expect(words).toEqual({ isWhole: true });
});

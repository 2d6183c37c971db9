import { refusal } from '@sabia/testkit/refused-rpc';
import { createRecordingCleaner } from '../src/recordings/cleaner';
import { saveLimits } from '../src/storage/account-limits';
import { newAccount, numbers, openStage, silent } from './stage';
import type { Replica, Stage } from './stage';
import { insertCalls } from './support/insert-calls';
import { beginMonthsAgo, endFirstPartition, inMonth, keeperOf, nameOf } from './support/months';

let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  await beginMonthsAgo(stage.sql, 6);
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

const partitions = async (sql = stage.sql, table = 'calls_final'): Promise<string[]> => {
  const rows = await sql.query<{ name: string }>(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass',
    [table],
  );
  return rows.map(({ name }) => name);
};

test('months whose time is over are dropped while calls are placed, once their audio is removed; totals follow', async () => {
  const { sql } = stage;
  const caller = newAccount(stage);
  const { accountId } = caller;
  const telephony = replica.as(caller);
  const [old, , , recent] = await insertCalls(
    sql,
    accountId,
    [5, 5, 4, 1].map((months) => ({ at: inMonth(-months).toISOString() })),
  );
  await sql.query('INSERT INTO unsettled_calls (call_id, look_at) VALUES ($1, $2)', [old, 'infinity']);
  await sql.query(
    `INSERT INTO recordings (call_id, account_id, switch, recorded_at) VALUES ($1, $2, 'simulated', now())`,
    [old, accountId],
  );
  // Of these there never was any audio. They are more than one statement deletes.
  await sql.query(
    `INSERT INTO recordings (call_id, account_id, switch)
     SELECT (lpad(to_hex($1::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, $2::bigint, 'simulated'
     FROM generate_series(1, 12000) AS n UNION ALL VALUES ($3::uuid, $2::bigint, 'simulated')`,
    [inMonth(-4).getTime(), accountId, recent],
  );
  const keep = keeperOf(sql, { calls: 75 });
  await keep();
  expect(await partitions()).toContain(nameOf(inMonth(-5)));
  expect(await partitions()).not.toContain('calls_before');
  expect((await telephony.listCalls({})).meta!.totalItemCount).toBe(4);

  await sql.query('UPDATE recordings SET deleted_at = now(), removed_at = now() WHERE call_id = $1', [old]);
  const other = replica.as(newAccount(stage));
  let isKeeping = true;
  const placing = (async () => {
    let placed = 0;
    while (isKeeping || placed === 0) {
      await other.placeCall({ extension: '1000', called: numbers.busy });
      placed += 1;
    }
  })();
  await keep();
  isKeeping = false;
  await placing;

  const left = await partitions();
  expect(left).not.toContain(nameOf(inMonth(-5)));
  expect(left).not.toContain(nameOf(inMonth(-4)));
  expect(left).toContain(nameOf(inMonth(-1)));
  const { data, meta } = await telephony.listCalls({});
  expect([data.length, meta!.totalItemCount]).toEqual([1, 1]);
  expect((await refusal(telephony.getCall({ id: old! }))).code).toBe('MODEL_NOT_FOUND');
  expect(await sql.query('SELECT FROM unsettled_calls WHERE call_id = $1', [old])).toEqual([]);
  expect(await sql.query('SELECT call_id FROM recordings')).toEqual([{ call_id: recent }]);
});

test('a month of recordings is dropped when no account keeps any of it, and its calls stay', async () => {
  const other = await openStage();
  try {
    const { sql } = other;
    const { accountId } = newAccount(other);
    const at = inMonth(-3);
    const [month, thisMonth] = [nameOf(at, 'recordings'), nameOf(inMonth(0), 'recordings')];
    await endFirstPartition(sql, inMonth(-6), 'recordings');
    // Partitions are there from then on.
    await keeperOf(sql, {}, inMonth(-4))();
    const [id] = await insertCalls(sql, accountId, [{ at: at.toISOString(), seconds: 9 }]);
    await sql.query(`INSERT INTO recordings (call_id, account_id, switch, recorded_at) VALUES ($1, $2, 'none', $3)`, [
      ...[id, accountId, at],
    ]);
    const clean = createRecordingCleaner({
      ...{ database: sql, store: { remove: () => Promise.resolve() }, log: silent, now: () => new Date() },
      ...{ retentionDays: 30, callRetentionDays: 0 },
    });
    const setDays = (recordingRetentionDays: number | null) =>
      saveLimits(sql, { accountId, liveCalls: null, recordingRetentionDays, toldAt: new Date() });

    await setDays(3650);
    await clean();
    await keeperOf(sql)();
    expect(await partitions(sql, 'recordings')).toEqual(expect.arrayContaining([month, thisMonth]));
    await setDays(null);
    await clean();
    await keeperOf(sql)();
    const left = await partitions(sql, 'recordings');
    expect(left).toEqual(expect.arrayContaining([thisMonth, nameOf(inMonth(6), 'recordings')]));
    expect(left).not.toContain(month);
    expect(await sql.query('SELECT FROM calls WHERE id = $1', [id])).toHaveLength(1);
  } finally {
    await other.close();
  }
});

import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { compileFilter } from '@sabia/service-kit/filter/compile';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import { fastest } from '@sabia/testkit/fastest';
import { callResource } from '../src/storage/call-list';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, openStage, silent } from './stage';
import type { Replica, Stage } from './stage';

const ROWS = 1_000_000;
const SLICE = 100_000;
let stage: Stage;
let replica: Replica;
let caller: Caller;

/** A version 7 uuid of the minute a call began. */
const idOf = `(lpad(to_hex((1700000000000 + n * 60000::bigint)), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid`;

const fill = `
  INSERT INTO telephony.calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number,
    started_at, answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, bina,
    minute_price, call_price, billed_seconds, metadata, record)
  SELECT ${idOf}, CASE WHEN n % 10 = 0 THEN $1::bigint + 1 ELSE $1::bigint END, 1, 'd', 'America/Sao_Paulo',
    CASE WHEN n % 50 = 0 THEN 'internal' ELSE 'outbound' END, 'ended', (1000 + n % 500)::text,
    (5511900000000 + n % 99991)::text, to_timestamp(1700000000 + n * 60), to_timestamp(1700000005 + n * 60),
    to_timestamp(1700000035 + n * 60), n % 600, CASE WHEN n % 997 = 0 THEN 'USER_BUSY' ELSE 'NORMAL_CLEARING' END, '16',
    'u' || n % 700 || '@example.com', 'Nome ' || n % 300, 'Sobrenome ' || n % 5000, (551140000000 + n % 400)::text,
    n % 7 * 0.1, n % 1300 * 0.01, 30, ('{"leadId":' || n || ',"campaign":"c' || n % 20 || '"}')::json, false
  FROM generate_series($2::bigint, $3::bigint) AS n`;

/** PostgreSQL has two cores to use. */
async function byTwo<T>(queue: T[], work: (next: T) => Promise<unknown>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

beforeAll(async () => {
  stage = await openStage();
  caller = newAccount(stage);
  const { sql } = stage;
  // A busy machine may take its time over an index.
  const options = { url: stage.database.adminUrl, applicationName: 'test', poolSize: 2, log: silent };
  const admin = createDatabase({ ...options, statementTimeoutMs: 200_000 });
  // The test is about reading: no log is written for what nobody will recover, and indexes are made once, behind the rows.
  for (const table of ['live_calls', 'recordings', 'calls'])
    await admin.query(`ALTER TABLE telephony.${table} SET UNLOGGED`);
  const indexes = await admin.query<{ indexdef: string; indexname: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'telephony' AND tablename = 'calls' AND indexname <> 'calls_pkey'`,
  );
  for (const { indexname } of indexes) await admin.query(`DROP INDEX telephony.${indexname}`);
  const slices = Array.from({ length: ROWS / SLICE }, (_, nth) => nth * SLICE);
  await byTwo(slices, (first) => admin.query(fill, [caller.accountId, first + 1, first + SLICE]));
  await byTwo(indexes, ({ indexdef }) =>
    admin.transaction(async (tx) => {
      await tx.query(`SET LOCAL maintenance_work_mem = '256MB'`);
      await tx.query(indexdef);
    }),
  );
  await admin.query('VACUUM ANALYZE telephony.calls');
  await admin.close();
  await sql.query(
    `INSERT INTO call_counters (account_id, shard, total) SELECT account_id, 0, count(*) FROM calls GROUP BY account_id`,
  );
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

const list = async (filter: object, page = 1) => replica.as(caller).listCalls({ page, filter: JSON.stringify(filter) });

const wheres: [string, object, number][] = [
  ['id', { id: '018bcfe6-5260-7000-8000-000000000001' }, 1],
  ['started_at', { started_at: { between: ['2024-01-01', '2024-01-02'] } }, 2592],
  ['date', { date: '2024-01-01' }, 1296],
  ['ended_at', { ended_at: { gte: '2024-01-01', lt: '2024-01-02' } }, 1296],
  ['from', { from: '1001' }, 2000],
  ['extension', { extension: '1001' }, 2000],
  ['ramal', { ramal: 1001 }, 2000],
  ['to', { to: '5511900000007' }, 10],
  ['phone', { phone: '5511900000007' }, 10],
  ['called', { called: '5511900000007' }, 10],
  ['first_name', { first_name: 'Nome 7' }, 3334],
  ['last_name', { last_name: 'Sobrenome 77' }, 200],
  ['email', { email: 'u7@example.com' }, 1429],
  ['BINA', { BINA: '551140000007' }, 2500],
  ['bina', { bina: '551140000007' }, 2500],
  ['call_type', { call_type: 'internal' }, 0],
  ['hangup_cause', { hangup_cause: 'USER_BUSY' }, 903],
  ['duration', { duration: 599 }, 1666],
  ['minute_price', { minute_price: 0.6, duration: 599 }, 238],
  ['call_price', { call_price: 12.99 }, 769],
  ['metadata', { metadata: { leadId: 77_777 } }, 1],
  ['a path into metadata', { 'metadata.leadId': 77_777 }, 1],
  ['status', { status: 'ringing' }, 0],
];

test.each(wheres)('by %s: exact, through an index, and fast', async (_field, where, total) => {
  const { data, meta } = await list({ where });
  expect(meta!.totalItemCount).toBe(total);
  expect(data).toHaveLength(Math.min(50, total));
  expect([...data].sort((a, b) => b.started_at!.getTime() - a.started_at!.getTime())).toEqual(data);
  expect(await fastest(3, () => list({ where }))).toBeLessThan(1_000);

  const filter = readFilter(callResource, JSON.stringify({ where }), caller.timeZone);
  const { where: condition, orderBy, values, whereCount } = compileFilter(callResource, filter, caller.accountId);
  for (const [text, parameters] of [
    [`SELECT * FROM calls WHERE ${condition} ${orderBy} LIMIT 50`, values],
    [`SELECT count(*) FROM calls WHERE ${condition}`, values.slice(0, whereCount)],
    [`SELECT * FROM (SELECT * FROM calls WHERE ${condition} OFFSET 0) AS calls ${orderBy} LIMIT 50`, values],
  ] as const) {
    const lines = await stage.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, parameters);
    expect(lines.map((line) => line['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan/);
  }
});

test('all of them: the total costs nothing, pages neither repeat nor skip', async () => {
  const [first, second] = [await list({}), await list({}, 2)];
  expect(first.meta).toMatchObject({ totalItemCount: 900_000, totalPageCount: 18_000, itemsPerPage: 50, nextPage: 2 });
  const ids = [...first.data, ...second.data].map(({ id }) => id);
  expect(new Set(ids).size).toBe(100);
  expect([...ids].sort().reverse()).toEqual(ids);
  expect(await fastest(5, () => list({}))).toBeLessThan(200);
});

test('a listed call is the same as the call by itself', async () => {
  const other = { ...caller, accountId: caller.accountId + 7 };
  await stage.sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       email, first_name, last_name, metadata, record)
     VALUES ('019a8000-0000-7000-8000-000000000001', $1, 1, 'd', 'UTC', 'outbound', 'queued', '1000', '5511',
       '2025-11-14 01:02:03.999999+00', '', 'José "Zé"\n😀', '', '{"a": [1.0, "ã"]}', false)`,
    [other.accountId],
  );
  for (const who of [caller, other]) {
    const telephony = replica.as(who);
    const { data } = await telephony.listCalls({ filter: '{"limit":5}' });
    expect(data.length).toBeGreaterThan(0);
    for (const listed of data) expect((await telephony.getCall({ id: listed.id })).call).toEqual(listed);
  }
});

test('far pages: counted off in the index, and beyond the last one there is still the total', async () => {
  const [far, last, beyond] = [await list({}, 9_000), await list({}, 18_000), await list({}, 18_001)];
  expect([far.data.length, last.data.length, beyond.data.length]).toEqual([50, 50, 0]);
  expect(last.data.at(-1)!.id).toMatch(/000001$/);
  for (const { meta } of [far, last, beyond]) expect(meta!.totalItemCount).toBe(900_000);
  const { meta } = await replica.as({ ...caller, accountId: 1 }).listCalls({});
  expect(meta!.totalItemCount).toBe(0);
});

test('other orders, limits and query parameters', async () => {
  const ascending = await list({ order: 'started_at ASC', limit: 2, offset: 1 });
  expect(ascending.data.map(({ id }) => id.slice(-6))).toEqual(['000002', '000003']);
  expect((await list({ limit: 5000 })).meta!.itemsPerPage).toBe(1000);
  const between = await replica.as(caller).listCalls({ startDate: '2024-01-01', endDate: '2024-01-02' });
  expect(between.meta!.totalItemCount).toBe(2592);
  const both = await replica
    .as(caller)
    .listCalls({ startDate: '2024-01-01', filter: '{"where":{"metadata.leadId":"77777"}}' });
  expect(both.meta!.totalItemCount).toBe(1);
});

test.each([
  [{ filter: '{"where":{"nope":1}}' }, /call has no field "nope"/],
  [{ filter: '{"where":{"account_id":1}}' }, /no field "account_id"/],
  [{ filter: '{"include":"legs"}' }, /cannot include/],
  [{ startDate: 'yesterday' }, /startDate/],
  [{ endDate: '2024-13-01' }, /endDate/],
])('%j is refused', async (request, message) => {
  const refused = await refusal(replica.as(caller).listCalls(request));
  expect(refused.code).toBe('INVALID_FILTER');
  expect(refused.message).toMatch(message);
});

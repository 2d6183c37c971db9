import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { promised } from '@sabia/testkit/promised';
import { fastest } from '@sabia/testkit/fastest';
import { refusal } from '@sabia/testkit/refused-rpc';
import { readCallFilter } from '../src/rpc/call-filter';
import { readStretch } from '../src/storage/call-export';
import { readCells } from '../src/storage/call-summary';
import { newAccount, numbers, openStage } from './stage';
import type { Replica, Stage } from './stage';
import { byHand, wheres } from './support/list-cases';
import { plansOf, watch } from './support/list-plans';
import { fillMillion } from './support/million-calls';

let stage: Stage;
let replica: Replica;
let caller: Caller;

beforeAll(async () => {
  stage = await openStage();
  caller = newAccount(stage);
  await fillMillion(stage, caller.accountId);
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

/** The million is in the first partition; those of the months to come are empty. */
const scanOfAll = /Seq Scan on calls_before/;

const withoutCosts = (plan: string): string => plan.replace(/ \(cost=.*\)/g, '').replace(/\$\d+/g, '?');

const list = async (filter: object, page = 1) => replica.as(caller).listCalls({ page, filter: JSON.stringify(filter) });

test.each(wheres)('by %s: exact, through an index, and fast', async (_field, where, total) => {
  const { data, meta } = await list({ where });
  expect(meta!.totalItemCount).toBe(total);
  expect(data).toHaveLength(Math.min(50, total));
  expect([...data].sort((a, b) => b.started_at!.getTime() - a.started_at!.getTime())).toEqual(data);
  expect(await fastest(3, () => list({ where }))).toBeLessThan(promised(1_000));

  const seen = await plansOf(stage.sql, caller, { where });
  expect(seen.length).toBeGreaterThan(0);
  for (const plan of seen) expect(plan).not.toMatch(scanOfAll);
});

test.each([
  ['one value', { from: '1001' }],
  ['another value', { email: 'u7@example.com' }],
  ['a stretch of time', { started_at: { between: ['2024-01-01', '2024-01-02'] } }],
  ['one value within a stretch of time', { to: '5511900000007', date: { gte: '2024-01-01', lt: '2024-02-01' } }],
])('%s: counted and met in the order of the list within one index', async (_what, where) => {
  const plans = await plansOf(stage.sql, caller, { where });
  // Total and ids, for these values and for any; what follows fetches the calls.
  expect(plans.length).toBeGreaterThan(1);
  for (const plan of plans.slice(0, 2)) {
    expect(plan.match(/Index Only Scan .* on calls_before/g)).toHaveLength(2);
    expect(plan).not.toMatch(/-> {2}Sort|on calls_before .*\n *Index Cond.*\n *Filter/);
  }
});

test.each([
  ['a common cause', { hangup_cause: 'NORMAL_CLEARING' }, 'Only Scan using calls_before_type_and_cause'],
  ['a rare cause', { hangup_cause: 'USER_BUSY' }, 'Only Scan using calls_before_type_and_cause'],
  ['two causes', { hangup_cause: { inq: ['USER_BUSY', 'NO_ANSWER'] } }, 'Only Scan using calls_before_type_and_cause'],
  ['a common type', { call_type: 'outbound' }, 'Only Scan using calls_before_type_and_cause'],
  ['a type that no call has', { call_type: 'inbound' }, 'Only Scan using calls_before_type_and_cause'],
  ['a price a minute', { minute_price: 0.6 }, 'Only Scan using calls_before_prices'],
  ['a rare price', { call_price: 12.99 }, 'Only Scan using calls_before_prices'],
  ['most prices', { call_price: { gt: 0.1 } }, 'Only Scan using calls_before_prices'],
  ['a first name', { first_name: 'Nome 7' }, 'Scan on calls_before_account_words'],
  ['two caller ids', { BINA: { inq: ['551140000007', '551140000008'] } }, 'Scan on calls_before_account_words'],
  ['a common value of metadata', { 'metadata.campaign': 'c7' }, 'Scan on calls_before_account_words'],
  [
    'metadata and a field of its own index',
    { metadata: { leadId: 77_777 }, from: '1277' },
    'Scan on calls_before_account_words',
  ],
  ['metadata and a name', { metadata: { leadId: 7 }, last_name: 'Sobrenome 7' }, 'Scan on calls_before_account_words'],
  ['answers of a day', { answered_at: '2024-01-01' }, 'Only Scan using calls_before_answered'],
])('%s: counted in an index that several fields share', async (_what, where, scan) => {
  const plans = await plansOf(stage.sql, caller, { where });
  for (const plan of plans) expect(plan).not.toMatch(scanOfAll);
  expect(plans[0]).toMatch(new RegExp(scan));
  expect(await fastest(3, () => list({ where }))).toBeLessThan(promised(2_000));
});

test.each([
  ['metadata', { 'metadata.leadId': '77777' }, 'account_words'],
  ['caller ids', { BINA: { inq: ['551140000007', '551140000008'] } }, 'account_words'],
  ['long calls', { duration: { gt: 590 } }, 'duration'],
  ['a rare price', { call_price: 12.99 }, 'prices'],
  ['ends of a day', { ended_at: '2024-01-01' }, 'ended_at'],
])('%s: planned once, whatever the values and the accounts are', async (_what, where, index) => {
  const [forThese, forAny] = await plansOf(stage.sql, caller, { where });
  expect(forThese).toMatch(new RegExp(`Scan .*calls_before_${index}`));
  expect(withoutCosts(forAny!)).toBe(withoutCosts(forThese!));
});

test('metadata that others have do not lead to their calls', async () => {
  const where = { metadata: { campaign: 'c0' } };
  expect((await list({ where })).meta!.totalItemCount).toBe(0);
  expect((await plansOf(stage.sql, caller, { where }, { how: 'ANALYZE' }))[0]).not.toMatch(/Rows Removed by/);
  const neighbour = { ...caller, accountId: caller.accountId + 1 };
  expect((await plansOf(stage.sql, neighbour, { where }, { how: 'ANALYZE' }))[0]).not.toMatch(/Rows Removed by/);
  expect((await replica.as(neighbour).listCalls({ filter: JSON.stringify({ where }) })).meta!.totalItemCount).toBe(
    50_000,
  );
});

test('three months in figures: every call of them, found by the order of ids', async () => {
  const bounds = { startDate: '2024-01-01', endDate: '2024-04-01' };
  const [summary, { meta }] = [
    await replica.as(caller).summarizeCalls(bounds),
    await replica.as(caller).listCalls(bounds),
  ];
  expect(summary.total!.calls).toBe(meta!.totalItemCount);
  expect(summary.buckets).toHaveLength(92);

  const { watched, plans } = watch(stage.sql);
  const filter = readCallFilter({ ...bounds, timeZone: caller.timeZone, filter: undefined });
  const span = { from: summary.startDate!, until: summary.endDate! };
  await readCells(watched, { accountId: caller.accountId, filter, span, interval: 'day' });
  for (const plan of plans) expect(plan).not.toMatch(scanOfAll);
});

test('few calls are exported without looking through the others', async () => {
  const { watched, plans } = watch(stage.sql);
  const where = { 'metadata.leadId': 77_777 };
  const noDates = { startDate: undefined, endDate: undefined };
  const filter = readCallFilter({ ...noDates, timeZone: caller.timeZone, filter: JSON.stringify({ where }) });
  const exported = await readStretch(watched, { ...caller, filter, cursor: undefined, limit: 1_000 });
  expect(exported).toHaveLength(1);
  for (const plan of plans) expect(plan).toMatch(/Scan on calls_before_account_words/);
});

test('more calls than a file should have are not exported', async () => {
  expect((await refusal(replica.as(caller).exportCalls({}))).code).toBe('EXPORT_TOO_LARGE');
  const { chunk, cursor } = await replica.as(caller).exportCalls({ startDate: '2024-01-01', endDate: '2024-02-01' });
  expect(chunk.toString().split('\r\n')).toHaveLength(1002);
  expect(cursor).toBeDefined();
});

test('all of them: the total costs nothing, pages neither repeat nor skip', async () => {
  const [first, second] = [await list({}), await list({}, 2)];
  expect(first.meta).toMatchObject({ totalItemCount: 900_000, totalPageCount: 18_000, itemsPerPage: 50, nextPage: 2 });
  const ids = [...first.data, ...second.data].map(({ id }) => id);
  expect(new Set(ids).size).toBe(100);
  expect([...ids].sort().reverse()).toEqual(ids);
  expect(await fastest(5, () => list({}))).toBeLessThan(promised(200));
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

test('concurrent requests each get their own page, of their own account', async () => {
  const nobody = { ...caller, accountId: caller.accountId + 8 };
  const pages = [1, 2, 1, 3, 2, 1];
  const [lists, ofNobody] = await Promise.all([
    Promise.all(pages.map((page) => list({}, page))),
    replica.as(nobody).listCalls({ page: 1, filter: '{}' }),
  ]);
  expect(lists).toEqual(await Promise.all(pages.map((page) => list({}, page))));
  expect(new Set(lists.map(({ data }) => data[0]!.id)).size).toBe(3);
  expect(ofNobody.data).toEqual([]);
});

const operators = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' };
const moments = [
  '2024-01-01T03:13:20Z',
  '2024-01-01T03:13:20.0005Z',
  '2024-01-01T03:13:19.9995Z',
  '1969-12-31',
  '9999-12-31',
];

test.each(moments)('calls before, at and after %s are selected by their ids, to the microsecond', async (moment) => {
  for (const [name, operator] of Object.entries(operators)) {
    // A day as a whole is not one moment.
    if (!moment.includes('T') && name !== 'gte' && name !== 'lt') continue;
    const [row] = await stage.sql.query<{ count: number }>(
      `SELECT count(*) FROM calls WHERE account_id = $1 AND started_at ${operator} $2::timestamptz`,
      [caller.accountId, moment],
    );
    const { meta } = await list({ where: { started_at: { [name]: moment } } });
    expect([name, meta!.totalItemCount]).toEqual([name, row!.count]);
  }
});

test('the id of a call is of the millisecond at which it began, and the call is found by it', async () => {
  const telephony = replica.as(newAccount(stage));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.busy, metadata: '{}' });
  const { call } = await telephony.getCall({ id });
  expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(call!.started_at!.getTime());
  for (const where of [{ started_at: call!.started_at }, { started_at: call!.started_at, from: '1000' }]) {
    const { data, meta } = await telephony.listCalls({ filter: JSON.stringify({ where }) });
    expect([data.map((found) => found.id), meta!.totalItemCount]).toEqual([[id], 1]);
  }
});

test('newest first by name is the same list, and filtered ones have far pages, too', async () => {
  const first = await list({});
  for (const order of ['started_at DESC', 'id DESC', 'date DESC, from ASC']) {
    expect(await list({ order })).toEqual(first);
  }
  const where = { from: '1001' };
  const pages = [await list({ where }, 1), await list({ where }, 40), await list({ where }, 41)];
  expect(pages.map(({ data }) => data.length)).toEqual([50, 50, 0]);
  for (const { meta } of pages) expect(meta!.totalItemCount).toBe(2000);
  const ascending = await list({ where, order: 'started_at ASC', limit: 3 });
  expect(ascending.data).toEqual(pages[1]!.data.slice(-3).reverse());
});

test.each(byHand)('%s: as counted and sorted by hand', async (_what, where, condition, order, orderBy) => {
  const expected = `SELECT id, count(*) OVER () AS total FROM calls WHERE account_id = $1 AND ${condition} ORDER BY ${orderBy}`;
  for (const page of [1, 3]) {
    const rows = await stage.sql.query<{ id: string; total: number }>(
      `SELECT * FROM (${expected}) AS calls OFFSET $2 LIMIT 20`,
      [caller.accountId, (page - 1) * 20],
    );
    const { data, meta } = await list({ where, order, limit: 20 }, page);
    expect(data.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    if (rows.length > 0) expect(meta!.totalItemCount).toBe(rows[0]!.total);
  }
});

test('scrolling on from the last call that is there: the next ones, within one index', async () => {
  const last = (await list({ limit: 100 })).data.at(-1)!.id;
  const where = { id: { lt: last } };
  expect((await list({ where })).data).toEqual((await list({}, 3)).data);
  const plans = await plansOf(stage.sql, caller, { where });
  for (const plan of plans) expect(plan).not.toMatch(scanOfAll);
  // The ids are met in their order; the calls of the page, which are fetched by them, may be sorted.
  for (const plan of plans.slice(0, 2)) expect(plan).not.toMatch(/-> {2}Sort/);
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

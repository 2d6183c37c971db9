import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { patient } from '@sabia/testkit/patient';
import { findCall } from '../src/storage/calls';
import { newDialId } from '../src/storage/dial-ids';
import { findLive, listUndriven, requestHangup, setDue, takeUnplaced } from '../src/storage/live-calls';
import { setPrices } from '../src/storage/prices';
import { takeUnfetched } from '../src/storage/recordings';
import { markAnswered, markEnded, markRinging } from '../src/storage/transitions';
import { takeUnsettled } from '../src/storage/unsettled-calls';
import { listFirst } from '../src/storage/waiting-line';
import { newAccount, openStage, silent } from './stage';
import type { Replica, Stage } from './stage';
import { insertCalls } from './support/insert-calls';
import { plansOf, watch } from './support/list-plans';
import { beginMonthsAgo, inMonth, nameOf } from './support/months';

const MONTHS = 24;
const now = new Date();

let stage: Stage;
let replica: Replica;
/** PostgreSQL would read and sort tables as small as these; it plans as for large ones here. */
let planning: Database;
let caller: Caller;

/** Two years of calls, a partition a month. */
beforeAll(async () => {
  stage = await openStage();
  const { sql, database } = stage;
  const url = new URL(database.url);
  const off = ['seqscan', 'bitmapscan', 'sort'].map((way) => `-c enable_${way}=off`).join(' ');
  url.searchParams.set('options', off);
  planning = createDatabase({ ...patient, url: url.href, applicationName: 'test', poolSize: 2, log: silent });
  await beginMonthsAgo(sql, MONTHS);
  caller = newAccount(stage);
  const past = Array.from({ length: MONTHS }, (_, nth) => inMonth(-nth - 1));
  for (const month of past) {
    const calls = Array.from({ length: 30 }, (_, nth) => ({
      at: new Date(month.getTime() + nth * 1000).toISOString(),
      from: nth % 3 === 0 ? '1001' : '1000',
    }));
    await insertCalls(sql, caller.accountId, calls);
  }
  await sql.query('ANALYZE calls');
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await planning?.close();
  await stage?.close();
});

const list = async (filter: object, page = 1) => replica.as(caller).listCalls({ page, filter: JSON.stringify(filter) });

/** The partitions of calls that a plan reads or writes, in its order. */
const partitionsIn = (plan: string): string[] => plan.match(/(?<= (on|Update on) )calls_(before|\d{4}_\d{2})/g) ?? [];

/** Months are read one after the other, as far as needed: neither sorted nor merged, which would begin to read each. */
const walksMonths =
  /-> {2}Limit .*\n(?: +InitPlan .*\n.*\n)* +-> {2}Append .*\n +-> {2}Index Only Scan Backward using calls_/;

/** Plans for the values themselves, not for any. */
const ofValues = (plans: string[]): string[] => plans.filter((plan) => !plan.includes('$'));

test('the newest calls are read from the newest months on, and no others are looked at while these fill the page', async () => {
  // For this account, and for any: the statement stays prepared.
  for (const recent of (await plansOf(planning, caller, {})).slice(0, 2)) {
    expect(recent).not.toMatch(/-> {2}Sort/);
    const walked = partitionsIn(recent);
    const months = [...new Set(walked)];
    expect(months).toEqual([...months].sort().reverse());
    expect(months.slice(-2)).toEqual([nameOf(inMonth(0)), nameOf(inMonth(-1))]);
    // The next month may begin tomorrow.
    expect(months.length).toBeLessThanOrEqual(3);
    // Once to find the ids, once to fetch the calls.
    expect(walked).toEqual([...months, ...months]);
  }
});

test('a page goes on in older months where it has to, and pages neither repeat nor skip', async () => {
  const pages = await Promise.all([1, 2, 3].map((page) => list({}, page)));
  const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
  expect(ids).toHaveLength(150);
  expect(new Set(ids).size).toBe(150);
  expect(ids).toEqual([...ids].sort().reverse());
  for (const { meta } of pages) expect(meta!.totalItemCount).toBe(MONTHS * 30);
  const [nobody] = [await replica.as(newAccount(stage)).listCalls({})];
  expect([nobody.data, nobody.meta!.totalItemCount]).toEqual([[], 0]);
});

test('pages that recent months fill are one statement about them alone; others neither repeat nor skip', async () => {
  const busy = newAccount(stage);
  const callsFrom = (month: Date, count: number) =>
    Array.from({ length: count }, (_, nth) => ({ at: new Date(month.getTime() + nth * 1000).toISOString() }));
  await insertCalls(stage.sql, busy.accountId, [...callsFrom(inMonth(-1), 130), ...callsFrom(inMonth(-5), 110)]);
  const plans = await plansOf(planning, busy, {}, { page: 2 });
  // For this account, and for any.
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).not.toMatch(/-> {2}Sort/);
    expect(new Set(partitionsIn(plan))).not.toContain(nameOf(inMonth(-2)));
    expect(partitionsIn(plan)).toContain(nameOf(inMonth(-1)));
  }
  // Recent ones alone, both, older ones, the last of them, none.
  const pages = [];
  for (let page = 1; page <= 6; page += 1) pages.push(await replica.as(busy).listCalls({ page }));
  const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
  expect(pages.map(({ data }) => data.length)).toEqual([50, 50, 50, 50, 40, 0]);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
  for (const { meta } of pages) expect(meta!.totalItemCount).toBe(240);
});

test('the first page of a filter is met in the order of the months; its total is exact', async () => {
  const where = { from: '1001' };
  for (const plan of await plansOf(planning, caller, { where })) expect(plan).not.toMatch(/-> {2}Sort|Seq Scan/);
  for (const plan of (await plansOf(planning, caller, { where })).slice(0, 2)) expect(plan).toMatch(walksMonths);
  const { data, meta } = await list({ where });
  expect([data.length, meta!.totalItemCount]).toEqual([50, MONTHS * 10]);
  expect((await list({ where }, 5)).data).toHaveLength(40);
});

test('the calls of a page are fetched from their months alone, whatever the values of the filter', async () => {
  const plans = await plansOf(planning, caller, { where: { hangup_cause: 'NORMAL_CLEARING' } });
  const fetching = plans.slice(-2);
  // The newest 50 of 30 a month, and as many months as a power of two.
  for (const plan of fetching)
    expect(new Set(partitionsIn(plan))).toEqual(new Set([-1, -2].map((nth) => nameOf(inMonth(nth)))));
});

test.each([
  ['one value', { from: '1001' }],
  ['a cause', { hangup_cause: 'NORMAL_CLEARING' }],
  ['metadata', { 'metadata.a': 1 }],
  ['a pattern', { first_name: { like: 'A%' } }],
])('%s within a month is looked for in the partition of that month alone', async (_what, condition) => {
  const month = inMonth(-7);
  const day = month.toISOString().slice(0, 10);
  const where = { ...condition, started_at: { between: [day, day] } };
  const plans = ofValues(await plansOf(planning, caller, { where }));
  expect(new Set(plans.flatMap(partitionsIn))).toEqual(new Set([nameOf(month)]));
});

test('pages of a span neither repeat nor skip, and show the calls of no other account', async () => {
  const [one, other] = [newAccount(stage), newAccount(stage)];
  const month = inMonth(-2);
  const calls = Array.from({ length: 120 }, (_, nth) => ({
    at: new Date(month.getTime() + nth * 1000).toISOString(),
  }));
  for (const { accountId } of [one, other]) await insertCalls(stage.sql, accountId, calls);
  for (const started_at of [{ gte: calls[5]!.at, lt: calls[115]!.at }, { gte: calls[10]!.at }]) {
    const filter = JSON.stringify({ where: { started_at } });
    for (const owner of [one, other]) {
      const pages = [];
      for (let page = 1; page <= 4; page += 1) pages.push(await replica.as(owner).listCalls({ page, filter }));
      const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
      expect(pages.map(({ data, meta }) => [data.length, meta!.totalItemCount])).toEqual([
        [50, 110],
        [50, 110],
        [10, 110],
        [0, 110],
      ]);
      const own = await stage.sql.query<{ id: string }>(
        'SELECT id FROM calls WHERE account_id = $1 AND id = ANY ($2::uuid[])',
        [owner.accountId, ids],
      );
      expect(own).toHaveLength(110);
    }
  }
});

/** What is done with a call of this month whose id is known, in the order of its life. */
async function lifeOfCall(): Promise<{
  accountId: number;
  id: string;
  works: [string, (database: Database) => Promise<unknown>][];
}> {
  const { accountId } = newAccount(stage);
  const month = inMonth(0);
  const at = new Date(month.getTime() + 60_000);
  // The month is not quite empty.
  const [id] = await insertCalls(stage.sql, accountId, [
    { at: month.toISOString(), live: true },
    { at: at.toISOString() },
  ]);
  const by = { accountId, now };
  const price = { callId: id!, accountId, minutePrice: 1, callPrice: 1, billedSeconds: 1 };
  const end = { maximumSeconds: 9, now, audioAt: now };
  return {
    ...{ accountId, id: id! },
    works: [
      ['find', (database) => findCall(database, accountId, id!)],
      ['ring', (database) => markRinging(database, [{ callId: id! }])],
      ['answer', (database) => markAnswered(database, [{ callId: id!, at }])],
      ['find live', (database) => findLive(database, [id!])],
      ['look again', (database) => setDue(database, [{ callId: id!, dueAt: now }])],
      ['hang up', (database) => requestHangup(database, { ...by, id: id! })],
      ['end', (database) => markEnded(database, [{ callId: id!, at, cause: 'NORMAL_CLEARING' }], end)],
      ['price', (database) => setPrices(database, [price])],
    ],
  };
}

test('whoever knows the id of a call looks at no month, while it lasts, or at its own alone', async () => {
  const { accountId, id, works } = await lifeOfCall();
  for (const [what, work] of works) {
    const { watched, plans } = watch(planning);
    await work(watched);
    // Also the plans for any values, of statements that stay prepared.
    const read = plans.flatMap(partitionsIn);
    const months = ['find', 'price'].includes(what) ? [nameOf(inMonth(0))] : [];
    expect([what, [...new Set(read)]]).toEqual([what, months]);
    expect([
      what,
      ofValues(plans)
        .join()
        .match(/ on recordings_\d{4}_\d{2}/g),
    ]).toEqual([what, null]);
  }
  expect((await findCall(stage.sql, accountId, id))?.status).toBe('ended');
});

/** How a plan finds rows of calls, live_calls and recordings, other than by their ids. */
const detoursIn = (plan: string): string[] => {
  const ways = plan.match(/\w.* Scan .*on (calls|live_calls|recordings).*(\n *(Index|Recheck) Cond: .*)?/g) ?? [];
  return ways.filter((way) => !/(_pkey|Bitmap Heap Scan) [^]* Cond: .*\b(id|call_id) = /.test(way));
};

test('a plan that was made while the month was empty finds calls by their ids when it is not', async () => {
  const { works } = await lifeOfCall();
  for (const [what, work] of works) {
    const { watched, plans } = watch(stage.sql);
    await work(watched);
    // For the values, and for any: the statement stays prepared.
    expect([what, plans.length]).toEqual([what, 2]);
    expect([what, plans.flatMap(detoursIn)]).toEqual([what, []]);
  }
});

test('calls whose effects or audio are due are read from their months alone, by their ids', async () => {
  const { accountId, id, works } = await lifeOfCall();
  for (const [, work] of works) await work(stage.sql);
  const switchName = 'of-plans';
  await stage.sql.query(
    `INSERT INTO recordings (call_id, account_id, switch, awaits_start, fetch_at) VALUES ($1, $2, $3, false, $4)`,
    [id, accountId, switchName, now],
  );
  const due = { now: new Date(now.getTime() + 3_600_000), limit: 10 };
  const retry = { firstSeconds: 1, longestSeconds: 1 };
  const lookers: [string, (database: Database) => Promise<{ id: string }[]>][] = [
    ['effects', (database) => takeUnsettled(database, due.now, due.limit)],
    ['audio', (database) => takeUnfetched(database, { ...due, switchName, retry })],
  ];
  for (const [what, work] of lookers) {
    const { watched, plans } = watch(stage.sql);
    const found = await work(watched);
    expect([what, found.map((call) => call.id)]).toEqual([what, expect.arrayContaining([id])]);
    expect([what, [...new Set(plans.flatMap(partitionsIn))]]).toEqual([what, [nameOf(inMonth(0))]]);
    expect([what, plans.flatMap(detoursIn).filter((way) => / on (calls|live_calls)/.test(way))]).toEqual([what, []]);
  }
});

test.each<[string, (database: Database) => Promise<unknown>]>([
  [
    'calls to place',
    (database) => takeUnplaced(database, { by: { switchName: 'of-plans', term: 1 }, now, limit: 100, ringSeconds: 45 }),
  ],
  ['calls in line', (database) => listFirst(database, 64)],
  ['calls that nobody drives', listUndriven],
])('%s are looked for at least once a second, and no call is read while there are none', async (_what, look) => {
  const { watched, plans } = watch(stage.sql);
  expect(await look(watched)).toEqual([]);
  expect(plans).toHaveLength(2);
  expect(plans.flatMap(detoursIn).filter((way) => / on calls/.test(way))).toEqual([]);
});

test('a dial id leads to the month of its call; those of former releases, which are random, are found everywhere', async () => {
  const { accountId } = newAccount(stage);
  const [id] = (await insertCalls(stage.sql, accountId, [{ at: inMonth(-3).toISOString() }])) as [string];
  for (const dialId of [newDialId(inMonth(-3)), '7f1d3c52-0d5e-4c3a-9b1f-000000000001']) {
    await stage.sql.query('UPDATE calls SET dial_id = $2 WHERE id = $1', [id, dialId]);
    const { watched, plans } = watch(planning);
    expect((await findCall(watched, accountId, dialId))?.id).toBe(id);
    if (dialId[14] === '7') {
      expect(new Set(plans.flatMap(partitionsIn))).toEqual(new Set([nameOf(inMonth(-3))]));
    }
  }
});

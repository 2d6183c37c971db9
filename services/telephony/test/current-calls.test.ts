import { eventually } from '@sabia/testkit/eventually';
import { isSerializationFailure } from '@sabia/service-kit/postgres/errors';
import { markEnded } from '../src/storage/transitions';
import { setPrices } from '../src/storage/prices';
import { markRecorded } from '../src/storage/recordings';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';
import { insertCalls } from './support/insert-calls';
import { plansOf } from './support/list-plans';
import { beginMonthsAgo, inMonth, keeperOf, nameOf } from './support/months';

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

/** The table that a call is in. */
const homeOf = async (id: string): Promise<string | undefined> =>
  (await stage.sql.query<{ home: string }>('SELECT tableoid::regclass::text AS home FROM calls WHERE id = $1', [id]))[0]
    ?.home;

const priceOf = (callId: string, accountId: number) => ({
  ...{ callId, accountId, minutePrice: 1_100, callPrice: 550, billedSeconds: 30 },
});

test('a call is current until it has its price, then of its month, and the same wherever it is asked for', async () => {
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer, metadata: '{"lead":7}' });
  const dialled = await telephony.dial({ extension: '1000', phone: numbers.busy });
  expect(await homeOf(id)).toBe('calls_current');
  await whenCall(telephony, id, 'answered');
  await telephony.hangUp({ id });
  await whenCall(telephony, id, 'ended');
  await whenCall(telephony, dialled.id, 'ended');
  expect(await homeOf(id)).toBe('calls_current');

  const asked = async () => ({
    alone: (await telephony.getCall({ id })).call,
    page: await telephony.listCalls({}),
    byLead: await telephony.listCalls({ filter: '{"where":{"metadata.lead":7}}' }),
    byCause: await telephony.listCalls({ filter: '{"where":{"hangup_cause":"NORMAL_CLEARING"},"limit":1}' }),
    byStatus: await telephony.listCalls({ filter: '{"where":{"status":"ended"},"order":"duration DESC"}' }),
    file: (await telephony.exportCalls({ filter: '{"where":{"call_type":"outbound"}}' })).chunk.toString(),
    dialled: (await telephony.getCall({ id: dialled.id })).call,
  });
  const before = await asked();
  expect(before.page.meta!.totalItemCount).toBe(2);
  const priced = await setPrices(stage.sql, [priceOf(id, caller.accountId)]);
  expect([...priced]).toEqual([id]);
  expect(await homeOf(id)).toBe(nameOf(inMonth(0)));

  const withPrice = JSON.parse(
    JSON.stringify(await asked()).replaceAll(/"(minute_price|call_price|billed_seconds)":[^,}]+,?/g, ''),
  ) as typeof before;
  expect(withPrice.page.data.map(({ id }) => id)).toEqual(before.page.data.map(({ id }) => id));
  for (const list of ['page', 'byLead', 'byCause', 'byStatus'] as const)
    expect([list, withPrice[list].meta]).toEqual([list, JSON.parse(JSON.stringify(before[list].meta))]);
  const { call } = await telephony.getCall({ id });
  expect(call).toMatchObject({ call_price: 550, billed_seconds: 30, status: 'ended' });
  // A price that comes again changes nothing.
  expect(await setPrices(stage.sql, [{ ...priceOf(id, caller.accountId), callPrice: 9 }])).toEqual(new Set());
  expect((await telephony.getCall({ id })).call).toEqual(call);
});

test('the end of a call spares the indexes of its record', async () => {
  const { accountId } = newAccount(stage);
  const at = new Date();
  const ids = await insertCalls(
    stage.sql,
    accountId,
    Array.from({ length: 20 }, (_, nth) => ({ at: new Date(at.getTime() - nth).toISOString(), live: true })),
  );
  const ends = ids.map((callId) => ({ callId, at, cause: 'NORMAL_CLEARING' as const }));
  const written = await stage.sql.transaction(async (tx) => {
    expect(await markEnded(tx, ends, { maximumSeconds: 9, now: at, audioAt: at })).toHaveLength(ids.length);
    return tx.query(
      `SELECT pg_stat_get_xact_tuples_updated(oid) AS updates, pg_stat_get_xact_tuples_hot_updated(oid) AS hot
       FROM pg_class WHERE relname = 'calls_current' AND relnamespace = current_schema()::regnamespace`,
    );
  });
  expect(written).toEqual([{ updates: ids.length, hot: ids.length }]);
});

test('a recording that is stored while its call gets the price is told, and loses nothing', async () => {
  const { accountId } = newAccount(stage);
  const at = inMonth(0);
  const [id] = (await insertCalls(stage.sql, accountId, [{ at: at.toISOString(), live: true }])) as [string];
  await markEnded(stage.sql, [{ callId: id, at, cause: 'NORMAL_CLEARING' }], {
    maximumSeconds: 9,
    now: at,
    audioAt: at,
  });
  await stage.sql.query(`INSERT INTO recordings (call_id, account_id, switch) VALUES ($1, $2, 'none')`, [
    id,
    accountId,
  ]);
  const recording = {
    ...{ callId: id, at, contentType: 'audio/wav', size: 9, url: 'http://r.example/1', missingSeconds: 0, dropAt: at },
  };
  let storing: Promise<unknown> | undefined;
  await stage.sql.transaction(async (tx) => {
    await setPrices(tx, [priceOf(id, accountId)]);
    storing = markRecorded(stage.sql, recording).catch((error: unknown) => error);
    await eventually(async () => {
      const waiting = await stage.admin.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return waiting.length > 0;
    });
  });
  expect(isSerializationFailure(await storing)).toBe(true);
  expect(await markRecorded(stage.sql, recording)).toMatchObject({
    id,
    recordUrl: 'http://r.example/1',
    callPrice: 550,
  });
});

test('calls that a replica of the former release writes are current, and final once they have a price', async () => {
  const { accountId } = newAccount(stage);
  const at = inMonth(-1).toISOString();
  const past = [{ at }, { at }];
  const [priced, open] = (await insertCalls(stage.sql, accountId, past, 'calls')) as [string, string];
  await stage.sql.query('UPDATE calls SET minute_price = 1, call_price = 2 WHERE id = $1', [priced]);
  expect(await Promise.all([priced, open].map(homeOf))).toEqual(['calls_current', 'calls_current']);
  await Promise.all([keeperOf(stage.sql)(), keeperOf(stage.sql)()]);
  expect(await Promise.all([priced, open].map(homeOf))).toEqual([nameOf(inMonth(-1)), 'calls_current']);
});

test('a search for a value passes over the current calls of others', async () => {
  const [caller, other] = [newAccount(stage), newAccount(stage)];
  const calls = Array.from({ length: 500 }, (_, nth) => ({
    ...{ at: new Date(inMonth(0).getTime() + nth).toISOString(), live: true, metadata: { lead: nth } },
  }));
  await insertCalls(stage.sql, other.accountId, calls);
  const [own] = await insertCalls(stage.sql, caller.accountId, [{ ...calls[7]!, metadata: { lead: 7 } }]);
  await stage.sql.query('ANALYZE calls_current');
  const where = { 'metadata.lead': 7 };
  const { data } = await replica.as(caller).listCalls({ filter: JSON.stringify({ where }) });
  expect(data.map(({ id }) => id)).toEqual([own]);
  for (const plan of (await plansOf(stage.sql, caller, { where })).slice(0, 2)) {
    expect(plan).toMatch(/Index Scan .*calls_current_newest/);
    expect(plan).not.toMatch(/Seq Scan/);
  }
});

test('calls that never got a price go with their month, and totals know', async () => {
  const caller = newAccount(stage);
  const { accountId } = caller;
  const [old] = (await insertCalls(stage.sql, accountId, [
    { at: inMonth(-5).toISOString(), live: true },
    { at: inMonth(0).toISOString() },
  ])) as [string];
  const at = inMonth(-5);
  await markEnded(stage.sql, [{ callId: old, at, cause: 'USER_BUSY' }], { maximumSeconds: 9, now: at, audioAt: at });
  const total = async () => (await replica.as(caller).listCalls({})).meta!.totalItemCount;
  expect(await total()).toBe(2);
  await keeperOf(stage.sql, { calls: 100 })();
  expect([await total(), await homeOf(old)]).toEqual([1, undefined]);
  expect(await stage.sql.query('SELECT FROM calls_current WHERE id = $1', [old])).toEqual([]);
});

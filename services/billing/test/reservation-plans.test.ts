import type { Database, QueryOptions, Transaction } from '@sabia/service-kit/postgres/database';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { holdAtOnce, holdTogether } from '../src/storage/hold-at-once';
import { lockBalances } from '../src/storage/balances';
import { extendHolds } from '../src/storage/extend-holds';
import { expireHolds, holdWithCare, releaseHold } from '../src/storage/hold-credit';
import { findRecord, listOpen } from '../src/storage/reservations';
import { settleCalls } from '../src/storage/settle-calls';
import { ReservationDesk } from './reservation-desk';
import { beginMonthsAgo, nameOf } from './reservation-months';

const MONTHS = 24;
const tariff = { minutePrice: 1_200, minimumSeconds: 30, incrementSeconds: 6 };
const desk = new ReservationDesk();
const inMonth = (months: number) => new Date(monthFrom(desk.time, months).getTime() + 14 * 86_400_000);

/** Two years of calls, a partition a month. */
beforeAll(async () => {
  await desk.open();
  // Statements are planned for the months of the real time.
  desk.time = new Date();
  const { database } = desk.stage;
  await beginMonthsAgo(database, MONTHS, desk.time);
  const ids = Array.from({ length: MONTHS }, (_, nth) => inMonth(-nth - 1)).flatMap((month) =>
    Array.from({ length: 200 }, (_, nth) => newEventId(new Date(month.getTime() + nth))),
  );
  await database.query(
    `INSERT INTO reservations
     SELECT id, 1, '5511987654321', 'settled', 0.12, 30, 6, 0, 60, 30, 30, 0.06, now(), now(), now() FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
  await database.query('ANALYZE reservations');
  await desk.stage.grant(desk.account, 10);
});

afterAll(() => desk.close());

type Plans = Map<string, string[]>;

/** Notes how PostgreSQL goes about what stays prepared: for these values and for any. By the name of the statement, without its months. */
function watch(database: Database): { watched: Database; plans: Plans } {
  const plans: Plans = new Map();
  const watchOn = <Q extends Database | Transaction>(on: Q): Q => ({
    ...on,
    async query<R extends object>(text: string, values: readonly unknown[] = [], options?: QueryOptions): Promise<R[]> {
      if (options?.name !== undefined && text.includes('reservations')) {
        const explained = await Promise.all([
          on.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values),
          on.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`),
        ]);
        plans.set(
          options.name.split(' ')[0]!,
          explained.map((lines) => lines.map((line) => line['QUERY PLAN']).join('\n')),
        );
      }
      return on.query<R>(text, values, options);
    },
  });
  const watched: Database = {
    ...watchOn(database),
    transaction: (work) => database.transaction((tx) => work(watchOn(tx))),
  };
  return { watched, plans };
}

/** The partitions that a plan reads or writes. */
const partitionsIn = (plan: string) => new Set(plan.match(/reservations_(before|\d{4}_\d{2})(?= )/g));

test('whoever knows the id of a call looks at the partition of its month alone, with a plan made once', async () => {
  const { watched, plans } = watch(desk.stage.database);
  const [first, second] = [desk.newCallId(), desk.newCallId()];
  const policy = { graceSeconds: 900 };
  const call = { accountId: desk.account, destination: '5511987654321', tariff, seconds: 60 };
  const held = { ...call, ...tariff, amount: 1_200, createdAt: desk.time, expiresAt: desk.time, plenty: 1_200 };
  await holdAtOnce(watched, desk.account, [{ ...held, callId: first }]);
  await holdTogether(watched, [{ ...held, callId: desk.newCallId() }]);
  await watched.transaction((tx) => holdWithCare(tx, { ...call, callId: second }, policy, desk.time));
  await watched.transaction((tx) =>
    extendHolds(tx, [{ callId: second, seconds: 90 }], { policy, now: desk.time, lock: lockBalances }),
  );
  await watched.transaction((tx) => releaseHold(tx, second, desk.time));
  await findRecord(watched, desk.account, first);
  const end = { ...call, callId: second, durationSeconds: 30, at: desk.time };
  await watched.transaction((tx) => settleCalls(tx, [end], 0));
  const months = new Set([nameOf(desk.time)]);
  const finders = ['find-accounts-of-calls', 'find-reservation-record', 'find-reservations'];
  for (const name of [...finders, 'mark-released', 'update-holds']) {
    expect([name, plans.get(name)?.map(partitionsIn)]).toEqual([name, [months, months]]);
    expect([
      name,
      plans
        .get(name)!
        .join()
        .match(/Seq Scan on \w+/g),
    ]).toEqual([name, null]);
  }
  // Rows are led to their partitions one by one.
  for (const name of ['hold-at-once', 'hold-together', 'save-settled']) {
    expect([name, plans.get(name)?.map(partitionsIn)]).toEqual([name, [new Set(), new Set()]]);
  }
});

test('a call that the credit may not cover looks for holds of its account that have run out, and reads no others', async () => {
  const { watched, plans } = watch(desk.stage.database);
  desk.nextAccount();
  await desk.stage.grant(desk.account, 0.15);
  const call = { accountId: desk.account, destination: '5511987654321', tariff, seconds: 60 };
  for (let nth = 0; nth < 2; nth += 1) {
    const request = { ...call, callId: desk.newCallId() };
    await watched.transaction((tx) => holdWithCare(tx, request, { graceSeconds: 900 }, desk.time));
  }
  for (const plan of plans.get('find-expired')!) {
    // The last month and this one; the next may begin tomorrow.
    expect([2, 3]).toContain(partitionsIn(plan).size);
    // Also in a month that had hardly any calls when this was planned.
    const scans = plan.match(/Scan .* on reservations_.*\n.*/g)!;
    for (const scan of scans) expect(scan).toMatch(/_account_id_idx .*\n *Index Cond: \(account_id = /);
    expect(scans).toHaveLength(partitionsIn(plan).size);
  }
});

test('holds that have run out and calls that last are found through indexes that hold nothing else', async () => {
  const { watched, plans } = watch(desk.stage.database);
  desk.nextAccount();
  await desk.stage.grant(desk.account, 10);
  await desk.reserve(desk.newCallId());
  await expireHolds(watched, new Date(desk.time.getTime() + 3_600_000));
  expect(await listOpen(watched, { from: new Date(0), until: desk.time, limit: 10 })).toEqual([]);
  const month = new Set([nameOf(desk.time)]);
  for (const name of ['amounts-of-expired', 'mark-expired']) {
    expect([name, plans.get(name)?.map(partitionsIn)]).toEqual([name, [month, month]]);
    for (const plan of plans.get(name)!) expect(plan).toMatch(/Index Cond: .*call_id = ANY/);
  }
  for (const plan of [...plans.get('list-expired')!, ...plans.get('list-open-reservations')!]) {
    expect(plan).not.toMatch(/Seq Scan|_pkey/);
    expect(partitionsIn(plan).size).toBeGreaterThan(MONTHS);
  }
});

import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { ReservationDesk } from './reservation-desk';
import { beginMonthsAgo, keep, nameOf, partitionsOf } from './reservation-months';

const desk = new ReservationDesk();
const days = 400;
/** The first moment at which the time of all calls of the desk's month is over. */
const over = () => new Date(monthFrom(desk.time, 1).getTime() + days * 86_400_000);

beforeEach(async () => {
  await desk.open();
  await beginMonthsAgo(desk.stage.database, 2, desk.time);
});
afterEach(() => desk.close());

const partitions = () => partitionsOf(desk.stage.database);

/** Months counted from the desk's. */
const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, nth) => nameOf(monthFrom(desk.time, from + nth)));

test('the months to come have their partitions, each made once, and a reservation is in its own', async () => {
  const { database } = desk.stage;
  expect(await partitions()).toEqual([...names(-2, 6), 'reservations_before']);
  const nextMonth = monthFrom(desk.time, 1);
  await Promise.all([keep(database, nextMonth), keep(database, nextMonth), keep(database, nextMonth)]);
  expect(await partitions()).toEqual([...names(-2, 7), 'reservations_before']);

  await desk.stage.grant(desk.account, 10);
  const homes: [string, string][] = [];
  for (const month of [-3, -2, 0, 7]) {
    const callId = newEventId(monthFrom(desk.time, month));
    await desk.talk(callId, 40);
    homes.push([callId, month === -3 ? 'reservations_before' : names(month, month)[0]!]);
  }
  const rows = await database.query<{ id: string; home: string }>(
    'SELECT call_id AS id, tableoid::regclass::text AS home FROM reservations ORDER BY call_id',
  );
  expect(rows.map(({ id, home }) => [id, home])).toEqual(homes);
});

test('what calls held goes with their month, and their money stays where it is', async () => {
  const { database } = desk.stage;
  await desk.stage.grant(desk.account, 10);
  const [talked, released] = [desk.newCallId(), desk.newCallId()];
  await desk.talk(talked, 40);
  await desk.reserve(released);
  await desk.stage.call('releaseReservation', { callId: released });
  const before = await desk.balance();

  await keep(database, new Date(over().getTime() - 1));
  expect(await partitions()).toContain(nameOf(desk.time));
  await keep(database, over());
  expect((await partitions())[0]).toBe(nameOf(monthFrom(desk.time, 1)));
  expect(await database.query('SELECT FROM reservations')).toEqual([]);
  expect(await desk.balance()).toEqual(before);
  const { money } = await desk.stage.call('getCallMoney', { callId: talked }, { accountId: desk.account });
  expect(money).toMatchObject({ rate: undefined, reservation: undefined, entries: [{ kind: 'call', callId: talked }] });
  await expect(desk.stage.call('settleReservation', { callId: talked, durationSeconds: 40 })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
});

test('a month stays while a call of it holds credit, and later ones with it', async () => {
  const { database } = desk.stage;
  await desk.stage.grant(desk.account, 10);
  const callId = newEventId(monthFrom(desk.time, -1));
  await desk.reserve(callId);
  await keep(database, over());
  expect((await partitions())[0]).toBe(nameOf(monthFrom(desk.time, -1)));
  expect(await desk.balance()).toMatchObject({ reserved: 1_200 });

  await desk.stage.call('releaseReservation', { callId });
  await keep(database, over());
  expect((await partitions())[0]).toBe(nameOf(monthFrom(desk.time, 1)));
});

/** Tells of each statement of the keeper before it is run. */
function watched(database: Database, onStatement: (text: string) => Promise<unknown>): Database {
  const watch = <Q extends Queryable>(queryable: Q): Q => ({
    ...queryable,
    async query(text: string, ...rest: [values?: readonly unknown[]]) {
      await onStatement(text);
      return queryable.query(text, ...rest);
    },
  });
  return { ...database, session: (work) => database.session((session) => work(watch(session))) };
}

test('credit that is held for a call of a month that is about to go comes back with its end', async () => {
  const { database } = desk.stage;
  await desk.stage.grant(desk.account, 10);
  const reserved: number[] = [];
  const keeping = watched(database, async (text) => {
    // After the look for holds, and when the month is a table of its own.
    if (text.startsWith(`COMMENT ON TABLE ${nameOf(desk.time)}`)) await desk.reserve(desk.newCallId());
    if (text.includes('sum(amount)')) reserved.push((await desk.balance()).reserved);
  });
  await keep(keeping, over(), days);
  expect(reserved.at(-1)).toBe(1_200);
  expect(await partitions()).not.toContain(nameOf(desk.time));
  expect(await desk.balance()).toEqual({ balance: 100_000, reserved: 0, available: 100_000 });
});

test.each([
  ['of a month that is gone', () => newEventId(new Date('2021-03-10T12:00:00Z'))],
  ['of a clock that is years ahead', () => newEventId(new Date('2031-03-10T12:00:00Z'))],
  ['that is random', () => 'f2b0a0de-4d27-4b6f-9d0c-3a1f4c2b7e90'],
])('a call id %s is refused as what it is, and nothing is held or booked', async (_what, newId) => {
  const { database } = desk.stage;
  await keep(database, desk.time, 60);
  expect((await partitions())[0]).toBe(nameOf(monthFrom(desk.time, -2)));
  const strange = newId();
  const message = expect.stringContaining(`${strange} is of `) as string;
  const refusal = { code: 'VALIDATION_ERROR', violations: [{ field: 'callId', code: 'range', message }] };
  // With plenty of credit, beside calls that are of now, and with little.
  await desk.stage.grant(desk.account, 10);
  const [fine, refused] = await Promise.allSettled([desk.reserve(desk.newCallId()), desk.reserve(strange)]);
  expect(fine).toMatchObject({ status: 'fulfilled', value: { reserved: 1_200 } });
  expect(refused).toMatchObject({ status: 'rejected', reason: refusal });
  desk.account += 1;
  await desk.stage.grant(desk.account, 0.1);
  await expect(desk.reserve(strange)).rejects.toMatchObject(refusal);
  expect(await desk.balance()).toEqual({ balance: 1_000, reserved: 0, available: 1_000 });

  await expect(desk.deliver(desk.ended(strange, 40))).rejects.toMatchObject({
    name: 'CallOutOfTime',
    message,
  });
  expect(await desk.balance()).toMatchObject({ balance: 1_000 });
  // There is no such reservation, as of any call that is not known.
  await desk.stage.call('releaseReservation', { callId: strange });
  await expect(desk.stage.call('extendReservation', { callId: strange, seconds: 9 })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
  expect(await desk.stage.call('tellPricesAgain', { callIds: [strange] })).toEqual({ callIds: [] });
});

test('a call whose reservation is gone is not debited a second time', async () => {
  const { database } = desk.stage;
  await desk.stage.grant(desk.account, 10);
  const callId = desk.newCallId();
  await desk.talk(callId, 40);
  const after = await desk.balance();
  // As if its month had been dropped and were made again.
  await database.query(`TRUNCATE ${nameOf(desk.time)}`);
  await expect(desk.talk(callId, 40)).rejects.toMatchObject({ constraint: 'ledger_transactions_once' });
  expect((await desk.balance()).balance).toBe(after.balance);
});

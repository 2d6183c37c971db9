import { newEventId } from '@sabia/service-kit/events/outbox';
import type { Database } from '@sabia/service-kit/postgres/database';
import { lockBalance } from '../src/storage/balances';
import { holdAtOnce } from '../src/storage/hold-at-once';
import { moveCredit } from '../src/storage/move-credit';
import { findReservations } from '../src/storage/reservations';
import { settleCalls } from '../src/storage/settle-calls';
import { checkBooks } from './books';
import { openFormerBilling } from './former-billing';
import type { FormerBilling } from './former-billing';
import { keep, partitionsOf } from './reservation-months';

const tariff = { minutePrice: 1_200, minimumSeconds: 30, incrementSeconds: 6 };
const destination = '5511987654321';
const accounts = [1, 2, 3, 4];

let former: FormerBilling;
let database: Database;

beforeEach(async () => {
  former = await openFormerBilling('0014');
  ({ database } = former);
  for (const accountId of accounts) {
    const grant = { kind: 'grant' as const, reference: 'first', description: '', at: new Date(), amount: 10_000_000 };
    await database.transaction(async (tx) =>
      moveCredit(
        tx,
        await lockBalance(tx, accountId),
        { ...grant, accountId, against: [{ book: 'grants', amount: -grant.amount }] },
        0,
      ),
    );
  }
});

afterEach(() => former?.close());

async function hold(accountId: number, callId: string): Promise<void> {
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 900_000)];
  const held = { callId, accountId, destination, ...tariff, amount: 1_200, seconds: 60, createdAt, expiresAt };
  expect(await holdAtOnce(database, accountId, [{ ...held, plenty: 1_200 }])).toBe(true);
}

const settle = (accountId: number, callIds: string[]) =>
  database.transaction((tx) =>
    settleCalls(
      tx,
      callIds.map((callId) => ({ callId, accountId, destination, tariff, durationSeconds: 60, at: new Date() })),
      0,
    ),
  );

/** The files in which the indexes of a table are. */
const indexFiles = async (table: string): Promise<number[]> => {
  const rows = await database.query<{ file: number }>(
    `SELECT relfilenode AS file FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = $1::regclass ORDER BY 1`,
    [table],
  );
  return rows.map(({ file }) => file);
};

test('reservations become partitions while calls are paid for: none is lost, none is charged twice', async () => {
  const years = Array.from({ length: 400 }, (_, nth) => newEventId(new Date(Date.now() - nth * 86_400_000)));
  const live = accounts.map(() => newEventId());
  for (const [nth, accountId] of accounts.entries()) {
    const own = years.filter((_, day) => day % accounts.length === nth);
    for (const callId of [...own, live[nth]!]) await hold(accountId, callId);
    await settle(accountId, own);
  }
  const files = await indexFiles('reservations');

  let isMigrated = false;
  const talked: string[] = [];
  const callers = accounts.map(async (accountId) => {
    do {
      const callId = newEventId();
      await hold(accountId, callId);
      await settle(accountId, [callId]);
      talked.push(callId);
    } while (!isMigrated);
  });
  await former.upgrade();
  isMigrated = true;
  await Promise.all(callers);

  expect(await partitionsOf(database)).toEqual(['reservations_before']);
  expect(await indexFiles('reservations_before')).toEqual(files);
  await checkBooks(database, accounts);
  expect((await findReservations(database, [...years, ...talked])).size).toBe(years.length + talked.length);
  // By this name a replica of the former release knows that a call has its reservation.
  await expect(hold(1, live[0]!)).rejects.toMatchObject({ code: '23505', constraint: 'reservations_pkey' });

  await keep(database, new Date());
  for (const [nth, accountId] of accounts.entries()) {
    expect((await settle(accountId, [live[nth]!])).rated).toMatchObject([{ price: 1_200 }]);
    expect((await settle(accountId, [live[nth]!])).rated).toEqual([]);
  }
  await checkBooks(database, accounts);
});

test('a call id of a time to come stops the upgrade with what to do, and before anything has changed', async () => {
  const strange = 'f2b0a0de-4d27-4b6f-9d0c-3a1f4c2b7e90';
  await hold(1, strange);
  await settle(1, [strange]);
  await expect(former.upgrade()).rejects.toThrow(`such as ${strange}`);
  await database.query('DELETE FROM reservations WHERE call_id = $1', [strange]);
  expect((await former.upgrade()).applied[0]).toBe('billing/0014_bound_reservations');
  await checkBooks(database, accounts);
});

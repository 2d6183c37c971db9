import type { Database } from '@sabia/service-kit/postgres/database';
import { lockBalance } from '../src/storage/balances';
import { makeLedgerRanges } from '../src/storage/ledger-ranges';
import { moveCredit } from '../src/storage/move-credit';
import { readStatement } from '../src/storage/statement';
import { checkBooks } from './books';
import { openFormerBilling } from './former-billing';
import type { FormerBilling } from './former-billing';
import { partitionsOf } from './reservation-months';

const accounts = [1, 2, 3, 4];

let former: FormerBilling;
let database: Database;

beforeEach(async () => {
  former = await openFormerBilling('0017');
  ({ database } = former);
});

afterEach(() => former?.close());

/** Whether it was booked now. */
async function grant(accountId: number, reference: string): Promise<boolean> {
  const sums = { amount: 100, against: [{ book: 'grants' as const, amount: -100 }] };
  const move = { accountId, kind: 'grant' as const, reference, description: '', at: new Date(), ...sums };
  const moved = await database.transaction(async (tx) => moveCredit(tx, await lockBalance(tx, accountId), move, 0));
  return moved.booked;
}

const indexFiles = async (table: string): Promise<{ file: number }[]> =>
  database.query(
    'SELECT relfilenode AS file FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = $1::regclass ORDER BY 1',
    [table],
  );

test('the ledger becomes ranges while money moves: every movement is there once, and its rules hold', async () => {
  for (let nth = 0; nth < 100; nth++) for (const accountId of accounts) await grant(accountId, `before ${nth}`);
  const files = await indexFiles('ledger_entries');

  let isMigrated = false;
  const booked = new Map(accounts.map((accountId) => [accountId, 0]));
  const moving = accounts.map(async (accountId) => {
    do {
      const nth = booked.get(accountId)!;
      expect(await grant(accountId, `meanwhile ${nth}`)).toBe(true);
      booked.set(accountId, nth + 1);
    } while (!isMigrated);
  });
  await former.upgrade();
  isMigrated = true;
  await Promise.all(moving);

  expect(await partitionsOf(database, 'ledger_entries')).toEqual(['ledger_entries_before']);
  expect(await indexFiles('ledger_entries_before')).toEqual(files);
  await checkBooks(database, accounts);
  for (const accountId of accounts) {
    expect(await grant(accountId, 'before 0')).toBe(false);
    const list = { accountId, timeZone: 'UTC', page: 1, startDate: undefined, endDate: undefined, filter: undefined };
    const { entries, meta } = await readStatement(database, list);
    const total = 100 + booked.get(accountId)!;
    expect([meta.totalItemCount, entries[0]!.balance]).toEqual([total, total * 100]);
  }
  for (const table of ['ledger_entries', 'ledger_entries_before']) {
    // The role of this test is a superuser.
    await expect(database.query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
    await expect(database.query(`TRUNCATE ${table}`)).rejects.toThrow(/append-only/);
  }
  await expect(database.query('UPDATE balances SET balance = balance + 1')).rejects.toThrow(/not that of its ledger/);
});

test('the first range has room for as many movements as a range has, and the next follows in time', async () => {
  const next = (id: number) =>
    database.query(`SELECT setval(pg_get_serial_sequence('ledger_transactions', 'id'), $1)`, [id]);
  await next(123_456_789);
  await former.upgrade();
  expect(await makeLedgerRanges(database)).toEqual([]);
  await next(200_000_000);
  expect(await makeLedgerRanges(database)).toEqual(['ledger_entries_from_300000000']);
  await next(299_999_998);
  for (const reference of ['last', 'first']) await grant(1, reference);
  const homes = await database.query('SELECT DISTINCT tableoid::regclass::text AS home FROM ledger_entries ORDER BY 1');
  expect(homes).toEqual([{ home: 'ledger_entries_before' }, { home: 'ledger_entries_from_300000000' }]);
  await checkBooks(database, [1]);
});

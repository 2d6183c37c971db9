import type { Database } from '@sabia/service-kit/postgres/database';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { lockBalance, saveBalances } from '../src/storage/balances';
import { writeMovements } from '../src/storage/ledger';
import type { Movement } from '../src/storage/ledger';
import { makeLedgerRanges } from '../src/storage/ledger-ranges';
import { movementsOfCall, readStatement } from '../src/storage/statement';
import { checkBooks } from './books';
import { endFirstRange } from './ledger-ranges';
import { partitionsOf } from './reservation-months';
import { openStage } from './stage';
import type { Stage } from './stage';
import { plansOf } from './statement-plans';

/** Movements of a range; real ones have millions. */
const size = 1_000;
const account = 1;
const callId = newEventId();

let stage: Stage;
let database: Database;

/** An account whose movements are in five ranges, and one whose only movement is in the first. */
beforeAll(async () => {
  stage = await openStage();
  ({ database } = stage);
  await endFirstRange(database, size);
  await stage.grant(2, 1);
  for (let round = 0; round < 5; round++) {
    await makeLedgerRanges(database, size);
    if (round === 2) await book([call]);
    await book(Array.from({ length: 900 }, (_, nth) => grantOf(`${round} ${nth}`)));
  }
  await database.query('ANALYZE ledger_transactions');
  await database.query('ANALYZE ledger_entries');
});

type Unsummed = Omit<Movement, 'balance'>;

const common = { accountId: account, description: '', at: new Date() };
const grantOf = (reference: string): Unsummed => ({
  ...common,
  ...{ kind: 'grant', reference, amount: 1_000, against: [{ book: 'grants', amount: -1_000 }] },
});
const call: Unsummed = {
  ...common,
  ...{ kind: 'call', reference: callId, callId, amount: -100, against: [{ book: 'calls', amount: 100 }] },
};

/** In one statement. */
async function book(unsummed: Unsummed[]): Promise<void> {
  await database.transaction(async (tx) => {
    const locked = await lockBalance(tx, account);
    let { balance } = locked;
    const movements = unsummed.map((movement) => ({ ...movement, balance: (balance += movement.amount) }));
    await saveBalances(tx, [{ ...locked, balance, movements: locked.movements + movements.length }]);
    await writeMovements(tx, movements);
  });
}

afterAll(() => stage?.close());

const ranges = () => partitionsOf(database, 'ledger_entries');

test('the ranges of the movements to come are made once, before they are needed', async () => {
  await Promise.all([1, 2, 3].map(() => makeLedgerRanges(database, size)));
  const expected = [1, 2, 3, 4, 5].map((thousand) => `ledger_entries_from_${thousand}000`);
  expect(await ranges()).toEqual(['ledger_entries_before', ...expected]);
  const [row] = await database.query<{ last: number }>('SELECT max(id) AS last FROM ledger_transactions');
  expect(row!.last).toBe(4_502);
  await checkBooks(database, [account, 2]);
});

test('a range has the triggers, checks, indexes and rights of the table', async () => {
  const described = await database.query<{
    name: string;
    triggers: string;
    checks: string;
    keys: number;
    rights: string;
  }>(
    `SELECT relname AS name,
       (SELECT string_agg(regexp_replace(pg_get_triggerdef(oid), ' ON \\S+', ''), '; ' ORDER BY tgname) FROM pg_trigger
        WHERE tgrelid = pg_class.oid) AS triggers,
       (SELECT string_agg(pg_get_constraintdef(oid), '; ' ORDER BY pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE conrelid = pg_class.oid) AS checks,
       (SELECT count(*) FROM pg_index WHERE indrelid = pg_class.oid AND indisvalid) AS keys,
       (SELECT string_agg(privilege_type, ' ' ORDER BY privilege_type) FROM aclexplode(relacl)) AS rights
     FROM pg_class WHERE oid = 'ledger_entries'::regclass OR oid IN (
       SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger_entries'::regclass
     )`,
  );
  const { name: _table, ...wanted } = described.find(({ name }) => name === 'ledger_entries')!;
  expect(wanted.triggers).toMatch(/refuse_change.*check_ledger_entries/);
  expect(wanted.rights).not.toMatch(/UPDATE|DELETE|TRUNCATE/);
  for (const range of described) expect(range).toEqual({ name: range.name, ...wanted });
});

test.each(['ledger_entries_before', 'ledger_entries_from_4000'])(
  '%s refuses what the ledger refuses',
  async (range) => {
    for (const change of [`UPDATE ${range} SET amount = 1`, `DELETE FROM ${range}`, `TRUNCATE ${range}`]) {
      await expect(database.query(change)).rejects.toThrow(/permission denied/);
    }
    const id = range.endsWith('before') ? 9 : 4_999;
    const unbalanced = `INSERT INTO ${range} (transaction_id, account_id, book, amount) VALUES (${id}, 1, 'losses', 1)`;
    await expect(database.query(unbalanced)).rejects.toThrow(/is not balanced/);
  },
);

const read = (on: Database, accountId: number, filter: object, page = 1) =>
  readStatement(on, {
    ...{ accountId, timeZone: 'UTC', page, startDate: undefined, endDate: undefined },
    filter: JSON.stringify(filter),
  });

/** With what was met on the way. */
async function planOfPage(filter: object): Promise<string> {
  const plans = await plansOf(database, (watched) => read(watched, account, filter), { analyze: true });
  return plans.find((plan) => plan.includes('Limit'))!;
}

test('a page of the statement is read from the newest range on, and no other is looked at once it is full', async () => {
  const page = await planOfPage({ limit: 5 });
  expect(page).not.toMatch(/Sort|Merge Append|Seq Scan/);
  const scans = [...page.matchAll(/ on ledger_entries_(\w+) .*\((never executed|actual .*)\)/g)];
  // The range to come is empty; of the others one has enough.
  const names = ['from_5000', 'from_4000', 'from_3000', 'from_2000', 'from_1000', 'before'];
  expect(scans.map(([, range]) => range)).toEqual(names);
  expect(scans.map(([, , use]) => use === 'never executed')).toEqual([false, false, true, true, true, true]);
});

test.each([
  // Of fifty entries each; the second ends in another range than it begins.
  ['id DESC', 4_502 - 450, [10, 11, 12]],
  ['id ASC', 2 + 900, [19, 20, 21]],
])('pages neither repeat nor skip across ranges: %s', async (order, first, pages) => {
  const lists = await Promise.all(pages.map((page) => read(database, account, { order }, page)));
  const ids = lists.flatMap(({ entries }) => entries.map(({ id }) => id));
  expect(ids).toEqual(Array.from({ length: 150 }, (_, nth) => (order === 'id ASC' ? first + nth : first - nth)));
  expect(lists[0]!.meta.totalItemCount).toBe(4_501);
});

test('an account whose only movement is in the oldest range sees it', async () => {
  expect((await read(database, 2, {})).entries).toMatchObject([{ id: 1, balance: 10_000 }]);
});

test('the movement of a call is read from its own range', async () => {
  const work = (watched: Database) => movementsOfCall(watched, account, callId);
  expect(await work(database)).toMatchObject([{ id: 1_802, callId }]);
  const [plan] = await plansOf(database, work, { analyze: true });
  const touched = [...plan!.matchAll(/ on ledger_entries_(\w+) .*\(actual/g)].map(([, range]) => range);
  expect(touched).toEqual(['from_1000']);
});

test('a balance whose newest entry is from long ago is held to it', async () => {
  await database.query(`SELECT setval(pg_get_serial_sequence('ledger_transactions', 'id'), 5_000_000)`);
  const change = database.query('UPDATE balances SET balance = 0 WHERE account_id = 2');
  await expect(change).rejects.toThrow(/is not that of its ledger/);
});

import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { newAccount, numbers, openStage } from './stage';
import type { Replica, Stage } from './stage';
import { insertCalls } from './support/insert-calls';
import { beginMonthsAgo, hastyKeeperOf, inMonth, keeperOf, nameOf } from './support/months';

// Of three months that are there before this one the oldest has to go.
const [old, kept] = [inMonth(-3), inMonth(-2)];
const month = nameOf(old);

/** For it the time of all calls before the month of that moment is over. */
const keeperFrom = (moment: Date, database = stage.sql, make = keeperOf) => {
  const [days, dayMs] = [60, 86_400_000];
  return make(database, { calls: days }, new Date(monthFrom(moment, 0).getTime() + days * dayMs));
};

let stage: Stage;
let replicas: Replica[];

beforeEach(async () => {
  stage = await openStage();
  replicas = [];
  await beginMonthsAgo(stage.sql, 3);
  await keeperFrom(old)();
});

afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await stage.close();
});

async function startReplica(): Promise<Replica> {
  const replica = await stage.start();
  replicas.push(replica);
  return replica;
}

const isThere = async (): Promise<boolean> => {
  const [row] = await stage.sql.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [month]);
  return row!.there;
};

type State = 'attached' | 'leaving' | 'detached';

const stateOf = async (name: string): Promise<State> => {
  const [row] = await stage.sql.query<{ state: State }>(
    `SELECT CASE inhdetachpending WHEN true THEN 'leaving' WHEN false THEN 'attached' ELSE 'detached' END AS state
     FROM pg_class LEFT JOIN pg_inherits ON inhrelid = oid WHERE oid = $1::regclass`,
    [name],
  );
  return row!.state;
};

const listOf = async (replica: Replica, caller: Caller): Promise<{ shown: number; total: number }> => {
  const { data, meta } = await replica.as(caller).listCalls({});
  return { shown: data.length, total: meta!.totalItemCount };
};

/** Tells of each statement of the keeper before it is run. */
function watched(database: Database, onStatement: (text: string) => unknown): Database {
  const watch = <Q extends Queryable>(queryable: Q): Q => ({
    ...queryable,
    async query(text: string, ...rest: [values?: readonly unknown[]]) {
      await onStatement(text);
      return queryable.query(text, ...rest);
    },
  });
  return {
    ...database,
    session: (work) => database.session((session) => work(watch(session))),
    transaction: (work) => database.transaction((tx) => work(watch(tx))),
  };
}

/** Gives so many calls of the old month to these accounts in turn. */
async function fillMonth(accountIds: number[], calls: number): Promise<void> {
  const first = old.getTime();
  await stage.sql.query(
    `INSERT INTO calls_final (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, metadata, record)
     SELECT (lpad(to_hex($1::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
       ($2::bigint[])[1 + n % cardinality($2::bigint[])], 1, 'd', 'UTC', 'outbound', 'ended', '1000', '5511',
       to_timestamp(($1::bigint + n) / 1000.0), to_timestamp(($1::bigint + n) / 1000.0), 0, 'USER_BUSY', '17', '', '', '', '{}', false
     FROM generate_series(0, $3::bigint - 1) AS n`,
    [first, accountIds, calls],
  );
  await stage.sql.query(
    `INSERT INTO call_counters (account_id, shard, total) SELECT account_id, 0, count(*) FROM ${month} GROUP BY account_id`,
  );
}

test('a large month is dropped while calls are placed and listed, which never wait for it, and totals are right', async () => {
  const { sql } = stage;
  const replica = await startReplica();
  const callers = [newAccount(stage), newAccount(stage), newAccount(stage)];
  await fillMonth(
    callers.map(({ accountId }) => accountId),
    200_000,
  );
  for (const { accountId } of callers) await insertCalls(sql, accountId, [{ at: kept.toISOString() }]);
  const listAll = () => Promise.all(callers.map((caller) => listOf(replica, caller)));
  const totalsBefore = [66_668, 66_668, 66_667];
  expect((await listAll()).map(({ total }) => total)).toEqual(totalsBefore);

  const other = newAccount(stage);
  const longest = { ms: 0, placed: 0 };
  const place = async (): Promise<void> => {
    const begin = performance.now();
    await replica.as(other).placeCall({ extension: '1000', called: numbers.busy });
    longest.ms = Math.max(longest.ms, performance.now() - begin);
    longest.placed += 1;
  };
  let placedWhileDropped = 0;
  const keep = keeperFrom(
    kept,
    watched(sql, async (text) => {
      // The table is dropped, and the transaction holds all its locks.
      if (!text.startsWith('INSERT INTO call_counters')) return;
      await place();
      expect(await listAll()).toEqual(totalsBefore.map((total) => ({ shown: 1, total })));
      placedWhileDropped += 1;
    }),
  );
  let isKeeping = true;
  const seen: number[] = [];
  const working = (async () => {
    while (isKeeping) {
      await place();
      seen.push((await listOf(replica, callers[0]!)).total);
    }
  })();
  await keep();
  isKeeping = false;
  await working;

  expect(placedWhileDropped).toBe(1);
  expect(await isThere()).toBe(false);
  expect(await listAll()).toEqual(callers.map(() => ({ shown: 1, total: 1 })));
  expect(seen.filter((total) => total !== totalsBefore[0] && total !== 1)).toEqual([]);
  expect((await listOf(replica, other)).total).toBe(longest.placed);
  expect(longest.ms).toBeLessThan(promised(1_000));
});

test('a service that ended when it had detached a month drops it once it is started again', async () => {
  const { sql } = stage;
  const caller = newAccount(stage);
  await insertCalls(sql, caller.accountId, [
    { at: old.toISOString() },
    { at: old.toISOString() },
    { at: kept.toISOString() },
  ]);
  const dying = watched(sql, (text) => {
    if (text.startsWith('DROP TABLE')) throw new Error('died');
  });
  await expect(keeperFrom(kept, dying, hastyKeeperOf)()).rejects.toThrow('died');
  expect(await stateOf(month)).toBe('detached');

  // Also where calls are kept for ever by now: what was begun cannot be undone.
  const replica = await startReplica();
  await eventually(async () => !(await isThere()));
  expect(await listOf(replica, caller)).toEqual({ shown: 1, total: 1 });
  await Promise.all([keeperFrom(kept)(), keeperFrom(kept)()]);
  expect(await listOf(replica, caller)).toEqual({ shown: 1, total: 1 });
});

test('a month that somebody reads for long leaves when they are done, and keeps nobody else waiting', async () => {
  const { sql } = stage;
  const replica = await startReplica();
  const caller = newAccount(stage);
  await insertCalls(sql, caller.accountId, [{ at: old.toISOString() }, { at: kept.toISOString() }]);
  const ways: string[] = [];
  const keep = keeperFrom(
    kept,
    watched(sql, (text) => ways.push(...(/CONCURRENTLY|FINALIZE/.exec(text) ?? []))),
  );
  let keeping: Promise<void> | undefined;
  const useCalls = async (): Promise<void> => {
    const other = newAccount(stage);
    await replica.as(other).placeCall({ extension: '1000', called: numbers.busy });
    expect(await listOf(replica, other)).toEqual({ shown: 1, total: 1 });
    expect(await listOf(replica, caller)).toEqual({ shown: 1, total: 2 });
  };
  await stage.admin.transaction(async (reader) => {
    await reader.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const read = () => reader.query('SELECT id FROM telephony.calls WHERE account_id = $1', [caller.accountId]);
    expect(await read()).toHaveLength(2);
    keeping = keep();
    await eventually(async () => (await stateOf(month)) === 'leaving');
    await useCalls();
    // It was given up and is tried again.
    await eventually(() => ways.includes('FINALIZE'));
    await useCalls();
    expect(await stateOf(month)).toBe('leaving');
    expect(await read()).toHaveLength(2);
  });
  await keeping;
  expect(ways[0]).toBe('CONCURRENTLY');
  expect(await isThere()).toBe(false);
  expect(await listOf(replica, caller)).toEqual({ shown: 1, total: 1 });
});

test('a month that was detached by hand stays', async () => {
  const { sql } = stage;
  await sql.query(`ALTER TABLE calls_final DETACH PARTITION ${month}`);
  await keeperFrom(kept)();
  expect(await isThere()).toBe(true);
  expect(await stateOf(nameOf(kept))).toBe('attached');
});

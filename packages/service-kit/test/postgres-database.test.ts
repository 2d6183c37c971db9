import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { isStatementTimeout, isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { runInScope } from '@sabia/service-kit/request-scope';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { Client } from 'pg';

const log = createLogger({ name: 'test', level: 'silent' });

describe('database', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let admin: Client;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('identity');
    database = createDatabase({ url: testDatabase.url, applicationName: 'database test', poolSize: 4, log });
    admin = new Client({ connectionString: testDatabase.adminUrl });
    await admin.connect();
    await database.query('CREATE TABLE things (id integer PRIMARY KEY, name text)');
  });

  afterAll(async () => {
    await database.close();
    await admin.end();
    await testDatabase.drop();
  });

  beforeEach(() => database.query('TRUNCATE things'));

  const running = async (marker: string) => {
    const { rows } = await admin.query(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`,
      [`%${marker}%`],
    );
    return rows.length;
  };
  const ids = async () =>
    (await database.query<{ id: number }>('SELECT id FROM things ORDER BY id')).map(({ id }) => id);

  it('gives int8 as number, numeric as exact text and dates without a time zone', async () => {
    const [row] = await database.query(
      `SELECT 9007199254740991::int8 AS big, 0.1::numeric AS exact, '2026-02-28'::date AS day, ARRAY[1, NULL]::int8[] AS list`,
    );
    expect(row).toEqual({ big: 9007199254740991, exact: '0.1', day: '2026-02-28', list: [1, null] });
    await expect(database.query('SELECT 9007199254740993::int8')).rejects.toThrow(/does not fit/);
    await expect(database.query('SELECT 1')).resolves.toHaveLength(1);
  });

  it('runs named statements', async () => {
    for (const id of [1, 2]) {
      await database.query('INSERT INTO things (id) VALUES ($1)', [id], { name: 'insert-thing' });
    }
    await expect(ids()).resolves.toEqual([1, 2]);
  });

  it('tells which constraint was violated', async () => {
    await database.query('INSERT INTO things VALUES (1)');
    const error: unknown = await database.query('INSERT INTO things VALUES (1)').catch((failure: unknown) => failure);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'things_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'another')).toBe(false);
  });

  it('limits the time of a statement', async () => {
    const hasty = createDatabase({
      url: testDatabase.url,
      applicationName: 'hasty',
      poolSize: 1,
      log,
      statementTimeoutMs: 1_000,
    });
    const error: unknown = await hasty.query('SELECT pg_sleep(120)').catch((failure: unknown) => failure);
    expect(isStatementTimeout(error)).toBe(true);
    await expect(hasty.query('SELECT 1')).resolves.toHaveLength(1);
    await hasty.close();
  });

  it('answers 503 when no connection comes free in time', async () => {
    const narrow = createDatabase({
      url: testDatabase.url,
      applicationName: 'narrow',
      poolSize: 1,
      log,
      connectionTimeoutMs: 2_000,
    });
    let release: (() => void) | undefined;
    const busy = narrow.transaction(async (tx) => {
      await tx.query('SELECT 1');
      await new Promise<void>((resolve) => (release = resolve));
    });
    await eventually(() => release !== undefined);
    await expect(narrow.query('SELECT 1')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    await expect(narrow.check()).resolves.toBeUndefined();
    release?.();
    await busy;
    await narrow.close();
  });

  it('runs statements outside of a transaction on one connection, and closes it', async () => {
    const narrow = createDatabase({ url: testDatabase.url, applicationName: 'narrow', poolSize: 1, log });
    const limit = (queryable: Queryable) => queryable.query('SHOW lock_timeout');
    const locks = async () =>
      (await admin.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 77`)).rowCount;
    await narrow.session(async (session) => {
      await session.query(`SELECT set_config('lock_timeout', '7s', false), pg_advisory_lock(77)`);
      await session.query('CREATE INDEX CONCURRENTLY things_by_name ON things (name)');
      expect([await limit(session), await locks()]).toEqual([[{ lock_timeout: '7s' }], 1]);
      await expect(session.query('SELECT nothing')).rejects.toThrow('nothing');
      await session.query('DROP INDEX CONCURRENTLY things_by_name');
    });
    await expect(
      narrow.session(async (session) => {
        await session.query(`SELECT set_config('lock_timeout', '7s', false), pg_advisory_lock(77)`);
        throw new Error('not wanted any more');
      }),
    ).rejects.toThrow('not wanted any more');
    await expect(limit(narrow)).resolves.toEqual([{ lock_timeout: '0' }]);
    await eventually(async () => (await locks()) === 0);
    await narrow.close();
  });

  describe('costly reads', () => {
    const connections = async (name: string): Promise<number> => {
      const { rows } = await admin.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [name]);
      return rows.length;
    };
    const asAccount = <T>(accountId: number, work: () => Promise<T>): Promise<T> =>
      runInScope(
        { requestId: 'r', signal: new AbortController().signal, caller: Caller.fromPartial({ accountId }) },
        work,
      );
    /** Lasts until the test gives the lock back. */
    const hold = (accountId: number): Promise<unknown> =>
      asAccount(accountId, () =>
        database.read('costly', (reader) => reader.query('SELECT pg_advisory_xact_lock_shared(42) AS held')),
      );

    it('have connections of their own, of which an account has half, and leave all others to everybody', async () => {
      await admin.query('SELECT pg_advisory_lock(42)');
      const reads = [1, 1, 1, 1, 1, 1, 2].map(hold);
      await eventually(async () => (await running('AS held')) === 2);
      expect(await connections('database test costly')).toBe(2);
      await expect(Promise.all(Array.from({ length: 8 }, () => database.query('SELECT 1')))).resolves.toHaveLength(8);
      expect(await running('AS held')).toBe(2);
      await admin.query('SELECT pg_advisory_unlock(42)');
      await Promise.all(reads);
    });

    it('see one state of things', async () => {
      const found = await database.read('costly', (reader) =>
        reader.query('SELECT pg_current_xact_id_if_assigned() IS NULL AS reads'),
      );
      expect(found).toEqual([{ reads: true }]);
    });

    it('have no parallel workers, and neither has any other statement', async () => {
      const show = 'SHOW max_parallel_workers_per_gather';
      const settings = await Promise.all([
        database.query(show),
        database.transaction((tx) => tx.query(show)),
        database.read('growing', (reader) => reader.query(show)),
        database.read('costly', (reader) => reader.query(show)),
      ]);
      expect(settings).toEqual(Array(4).fill([{ max_parallel_workers_per_gather: '0' }]));
    });

    it('keep an account from taking every connection for what grows with its data', async () => {
      await admin.query('SELECT pg_advisory_lock(42)');
      const reads = Array.from({ length: 6 }, () =>
        asAccount(1, () =>
          database.read('growing', (reader) => reader.query('SELECT pg_advisory_xact_lock_shared(42) AS held')),
        ),
      );
      await eventually(async () => (await running('AS held')) === 1);
      await expect(asAccount(2, () => database.read('growing', (reader) => reader.query('SELECT 1')))).resolves.toEqual(
        [{ '?column?': 1 }],
      );
      expect(await running('AS held')).toBe(1);
      await admin.query('SELECT pg_advisory_unlock(42)');
      await Promise.all(reads);
    });
  });

  describe('transaction', () => {
    it('commits, then calls back', async () => {
      const seen: number[][] = [];
      const answer = await database.transaction(async (tx) => {
        await tx.query('INSERT INTO things VALUES (1)');
        tx.afterCommit(() => void ids().then((found) => seen.push(found)));
        expect(await ids()).toEqual([]);
        return 'answer';
      });
      expect(answer).toBe('answer');
      await eventually(() => seen.length === 1);
      expect(seen).toEqual([[1]]);
    });

    it('rolls back when the work throws, calls no listener, and keeps the connection', async () => {
      const called = jest.fn();
      const failure = new Error('no');
      for (let round = 0; round < 10; round++) {
        await expect(
          database.transaction(async (tx) => {
            tx.afterCommit(called);
            await tx.query('INSERT INTO things VALUES (1)');
            throw failure;
          }),
        ).rejects.toBe(failure);
      }
      await expect(ids()).resolves.toEqual([]);
      expect(called).not.toHaveBeenCalled();
    });

    it('does not report success for a transaction that PostgreSQL has rolled back', async () => {
      await expect(
        database.transaction(async (tx) => {
          await tx.query('INSERT INTO things VALUES (1)');
          await tx.query('SELECT 1 / 0').catch(() => undefined);
        }),
      ).rejects.toThrow(/rolled back/);
      await expect(ids()).resolves.toEqual([]);
    });

    it('runs queries that were started together one after the other', async () => {
      await database.transaction(async (tx) => {
        await Promise.all([1, 2, 3].map((id) => tx.query('INSERT INTO things VALUES ($1)', [id])));
      });
      await expect(ids()).resolves.toEqual([1, 2, 3]);
    });

    it('refuses queries after its end', async () => {
      const late = await database.transaction(async (tx) => () => tx.query('SELECT 1'));
      await expect(late()).rejects.toThrow(/transaction is over/);
    });
  });

  describe('cancellation', () => {
    const inScope = <T>(signal: AbortSignal, work: () => Promise<T>) => runInScope({ requestId: 'test', signal }, work);

    it('cancels the statement on the server and keeps the connection', async () => {
      const controller = new AbortController();
      const reason = new Error('client gone');
      const query = inScope(controller.signal, () => database.query("SELECT pg_sleep(60), 'cancel me'"));
      const settled = expect(query).rejects.toBe(reason);
      await eventually(async () => (await running('cancel me')) === 1);
      controller.abort(reason);
      await settled;
      // Its error is on the way before the server notes that it is idle. Left alone it would be stopped only after 30 s.
      await eventually(async () => (await running('cancel me')) === 0, { timeoutMs: 20_000 });
      await expect(Promise.all(Array.from({ length: 20 }, () => database.query('SELECT 1')))).resolves.toHaveLength(20);
    });

    it('rolls back a transaction whose request is cancelled in a statement', async () => {
      const controller = new AbortController();
      const transaction = inScope(controller.signal, () =>
        database.transaction(async (tx) => {
          await tx.query('INSERT INTO things VALUES (1)');
          await tx.query("SELECT pg_sleep(60), 'cancel the transaction'");
        }),
      );
      const settled = expect(transaction).rejects.toMatchObject({ name: 'AbortError' });
      await eventually(async () => (await running('cancel the transaction')) === 1);
      controller.abort();
      await settled;
      await expect(ids()).resolves.toEqual([]);
    });

    it('does not commit for a client that has gone between two statements', async () => {
      const controller = new AbortController();
      const transaction = inScope(controller.signal, () =>
        database.transaction(async (tx) => {
          await tx.query('INSERT INTO things VALUES (1)');
          controller.abort();
        }),
      );
      await expect(transaction).rejects.toMatchObject({ name: 'AbortError' });
      await expect(ids()).resolves.toEqual([]);
    });

    it('leaves the queue of the pool at once', async () => {
      const narrow = createDatabase({ url: testDatabase.url, applicationName: 'narrow', poolSize: 1, log });
      const controller = new AbortController();
      const busy = narrow.query('SELECT pg_sleep(0.5)');
      const waiting = inScope(controller.signal, () => narrow.query('SELECT 1'));
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
      await busy;
      await expect(narrow.query('SELECT 1')).resolves.toHaveLength(1);
      await narrow.close();
    });

    it('never cancels the statement of another request', async () => {
      const narrow = createDatabase({ url: testDatabase.url, applicationName: 'narrow', poolSize: 1, log });
      for (let round = 0; round < 20; round++) {
        const controller = new AbortController();
        const cancelled = inScope(controller.signal, () => narrow.query('SELECT pg_sleep(0.002)')).catch(
          () => undefined,
        );
        const innocent = narrow.query('SELECT pg_sleep(0.005)');
        await new Promise((resolve) => setTimeout(resolve, round % 4));
        controller.abort();
        await cancelled;
        await expect(innocent).resolves.toHaveLength(1);
      }
      await narrow.close();
    });
  });

  describe('roles', () => {
    it.each(['billing', 'extensions', 'telephony', 'webhook'])('cannot reach into the schema of %s', async (schema) => {
      await expect(database.query(`SELECT 1 FROM ${schema}.outbox`)).rejects.toThrow(
        `permission denied for schema ${schema}`,
      );
      await expect(database.query(`CREATE TABLE ${schema}.mine (id integer)`)).rejects.toThrow('permission denied');
    });

    it('can neither write to public nor create schemas, databases or roles', async () => {
      await expect(database.query('CREATE TABLE public.mine (id integer)')).rejects.toThrow('permission denied');
      await expect(database.query('CREATE SCHEMA mine')).rejects.toThrow('permission denied');
      await expect(database.query('CREATE DATABASE mine')).rejects.toThrow('permission denied');
      await expect(database.query('CREATE ROLE mine')).rejects.toThrow('permission denied');
    });

    it('works in the schema of its service without naming it', async () => {
      await expect(database.query('SELECT current_schema() AS schema')).resolves.toEqual([{ schema: 'identity' }]);
    });
  });
});

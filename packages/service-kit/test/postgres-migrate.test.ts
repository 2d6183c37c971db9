import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sabia/service-kit/logging';
import { migrate } from '@sabia/service-kit/postgres/migrate';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { Client } from 'pg';

const log = createLogger({ name: 'test', level: 'silent' });

describe('migrate', () => {
  let testDatabase: TestDatabase;
  let client: Client;
  let path: string;
  let set: string;
  let count = 0;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('webhook');
    client = new Client({ connectionString: testDatabase.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await testDatabase.drop();
  });

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'migrations-'));
    set = `test${++count}`;
  });

  afterEach(() => rm(path, { recursive: true }));

  const run = (ownLog = log) => migrate({ url: testDatabase.url, directories: [{ set, path }], log: ownLog });
  const write = (name: string, sql: string) => writeFile(join(path, name), sql);
  const select = async (sql: string) => (await client.query(sql)).rows as Record<string, unknown>[];
  const recorded = async () =>
    (await select(`SELECT name FROM schema_migrations WHERE "set" = '${set}' ORDER BY name`)).map(({ name }) => name);

  /** A table of partitions with ten ids each. */
  const writePartitions = (...names: string[]) => {
    const made = names.map(
      (name, nth) =>
        `CREATE TABLE ${set}_${name} PARTITION OF ${set} FOR VALUES FROM (${nth * 10}) TO (${nth * 10 + 10})`,
    );
    return write(
      '0001_create_table.sql',
      [`CREATE TABLE ${set} (id integer) PARTITION BY RANGE (id)`, ...made].join(';\n'),
    );
  };
  /** Whether all partitions have their part of the index. */
  const isWhole = async () =>
    (await select(`SELECT indisvalid FROM pg_index WHERE indexrelid = '${set}_id'::regclass`))[0]?.indisvalid;

  it('applies what is new, in order, once', async () => {
    await write('0002_add_colour.sql', `ALTER TABLE ${set} ADD colour text`);
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer)`);
    await expect(run()).resolves.toEqual({ applied: [`${set}/0001_create_table`, `${set}/0002_add_colour`] });
    await expect(run()).resolves.toEqual({ applied: [] });
    await expect(recorded()).resolves.toEqual(['0001_create_table', '0002_add_colour']);
  });

  it('makes an index concurrently, while other runners wait and after an attempt that failed', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer); INSERT INTO ${set} VALUES (1), (1)`);
    await run();
    // A unique index fails on these rows and leaves an invalid index of the same name behind.
    await expect(client.query(`CREATE UNIQUE INDEX CONCURRENTLY ${set}_id ON ${set} (id)`)).rejects.toThrow();
    await write('0002_index_ids.sql', `-- For speed; or so.\nCREATE INDEX CONCURRENTLY ${set}_id ON ${set} (id);\n`);
    await Promise.all([run(), run(), run()]);
    await expect(recorded()).resolves.toEqual(['0001_create_table', '0002_index_ids']);
    await expect(
      select(`SELECT indisvalid, indisunique FROM pg_index WHERE indexrelid = '${set}_id'::regclass`),
    ).resolves.toEqual([{ indisvalid: true, indisunique: false }]);
  });

  it('makes an index of a partitioned table concurrently, one partition after the other', async () => {
    await writePartitions('low', 'high');
    await write('0002_index_ids.sql', `CREATE INDEX CONCURRENTLY ${set}_id ON ${set} (id) WHERE id > 1;\n`);
    await run();
    await expect(
      select(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${set}_id'::regclass ORDER BY 1`,
      ),
    ).resolves.toHaveLength(2);
    await expect(isWhole()).resolves.toBe(true);
  });

  it('goes on where an attempt to make an index of a partitioned table ended', async () => {
    await writePartitions('low', 'mid', 'high');
    await run();
    // One partition is done, another has an index that is not part of the whole.
    await client.query(`CREATE INDEX ${set}_id ON ONLY ${set} (id)`);
    await client.query(`CREATE INDEX ${set}_low_${set}_id ON ${set}_low (id)`);
    await client.query(`ALTER INDEX ${set}_id ATTACH PARTITION ${set}_low_${set}_id`);
    await client.query(`CREATE INDEX ${set}_mid_${set}_id ON ${set}_mid (id)`);
    const made = () =>
      select(
        `SELECT oid FROM pg_class WHERE relname IN ('${set}_id', '${set}_low_${set}_id', '${set}_mid_${set}_id') ORDER BY 1`,
      );
    const before = await made();
    await write('0002_index_ids.sql', `CREATE INDEX CONCURRENTLY ${set}_id ON ${set} (id);\n`);
    await run();
    await expect(made()).resolves.toEqual(before);
    await expect(isWhole()).resolves.toBe(true);
  });

  it('tries again to make an index while somebody else holds the table', async () => {
    await writePartitions('low');
    await run();
    await write('0002_index_ids.sql', `CREATE INDEX CONCURRENTLY ${set}_id ON ${set} (id);\n`);
    await client.query('BEGIN');
    await client.query(`INSERT INTO ${set} VALUES (1)`);
    const warn = jest.fn();
    const running = run(Object.assign(Object.create(log) as typeof log, { warn }));
    await eventually(() => warn.mock.calls.some(([, message]) => String(message).includes('in use')));
    await client.query('COMMIT');
    await running;
    await expect(isWhole()).resolves.toBe(true);
  });

  it('works in the schema of the role and brings the outbox and the inbox along', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer)`);
    await run();
    const tables = await select(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'webhook' AND tablename IN ('${set}', 'outbox', 'inbox') ORDER BY tablename`,
    );
    expect(tables.map(({ tablename }) => tablename)).toEqual(['inbox', 'outbox', set]);
  });

  it('lets several runners at once apply each file exactly once', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer); SELECT pg_sleep(0.1)`);
    await write('0002_add_row.sql', `INSERT INTO ${set} VALUES (1)`);
    const results = await Promise.all([run(), run(), run(), run(), run()]);
    expect(results.flatMap(({ applied }) => applied).sort()).toEqual([
      `${set}/0001_create_table`,
      `${set}/0002_add_row`,
    ]);
    await expect(select(`SELECT id FROM ${set}`)).resolves.toHaveLength(1);
  });

  it('leaves nothing of a failed file behind, keeps the files before it, and goes on once it is repaired', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer)`);
    await write(
      '0002_break.sql',
      `INSERT INTO ${set} VALUES (1);\nCREATE TABLE ${set}_half (id integer);\nINSERT INTO nowhere VALUES (1)`,
    );
    await expect(run()).rejects.toThrow(/0002_break\.sql:3: relation "nowhere" does not exist/);
    await expect(recorded()).resolves.toEqual(['0001_create_table']);
    await expect(select(`SELECT id FROM ${set}`)).resolves.toEqual([]);
    await expect(select(`SELECT 1 FROM pg_tables WHERE tablename = '${set}_half'`)).resolves.toEqual([]);

    await write('0002_break.sql', `INSERT INTO ${set} VALUES (1)`);
    await expect(run()).resolves.toEqual({ applied: [`${set}/0002_break`] });
  });

  it('refuses a file that was changed after it had been applied, and applies nothing behind it', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer)`);
    await run();
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id bigint)`);
    await write('0002_add_colour.sql', `ALTER TABLE ${set} ADD colour text`);
    await expect(run()).rejects.toThrow(/0001_create_table was changed/);
    await expect(recorded()).resolves.toEqual(['0001_create_table']);
  });

  it('does not mind line endings', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (\n id integer\n)`);
    await run();
    await write('0001_create_table.sql', `CREATE TABLE ${set} (\r\n id integer\r\n)`);
    await expect(run()).resolves.toEqual({ applied: [] });
  });

  it('tolerates what a newer release has applied, and refuses a file that comes too late', async () => {
    await write('0002_create_table.sql', `CREATE TABLE ${set} (id integer)`);
    await run();
    await rm(join(path, '0002_create_table.sql'));
    await expect(run()).resolves.toEqual({ applied: [] });
    await write('0001_arrive_late.sql', 'SELECT 1');
    await expect(run()).rejects.toThrow(/0001_arrive_late is new but 0002_create_table is already applied/);
  });

  it('lets others at a table through while somebody uses it for long, and changes it afterwards', async () => {
    await write('0001_create_table.sql', `CREATE TABLE ${set} (id integer)`);
    await run();
    await write('0002_add_column.sql', `ALTER TABLE ${set} ADD COLUMN name text`);
    const reader = new Client({ connectionString: testDatabase.url });
    const other = new Client({ connectionString: testDatabase.url });
    await Promise.all([reader.connect(), other.connect()]);
    await reader.query(`BEGIN; SELECT id FROM ${set}`);
    const migrated = run();
    await eventually(async () => {
      const { rowCount } = await other.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'sabia migrate' AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE ${set} %'`,
      );
      return rowCount === 1;
    });
    await expect(other.query(`SELECT id FROM ${set}`)).resolves.toMatchObject({ rowCount: 0 });
    await reader.query('COMMIT');
    await expect(migrated).resolves.toEqual({ applied: [`${set}/0002_add_column`] });
    await Promise.all([reader.end(), other.end()]);
  });

  it('frees its lock when the runner dies', async () => {
    await write('0001_wait_long.sql', 'SELECT pg_sleep(60)');
    const dying = run();
    dying.catch(() => undefined);
    const admin = new Client({ connectionString: testDatabase.adminUrl });
    await admin.connect();
    let killed = 0;
    while (killed === 0) {
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'sabia migrate' AND query LIKE '%pg_sleep(60)%'`,
      );
      killed = rowCount ?? 0;
    }
    await admin.end();
    await expect(dying).rejects.toMatchObject({ name: 'ServiceError' });
    await write('0001_wait_long.sql', 'SELECT 1');
    await expect(run()).resolves.toEqual({ applied: [`${set}/0001_wait_long`] });
  });
});

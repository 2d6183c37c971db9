import { newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { removeOlder } from '@sabia/service-kit/postgres/remove-older';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';

const day = 24 * 60 * 60 * 1000;
const log = createLogger({ name: 'test', level: 'silent' });

describe('a log with an end', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('identity');
    // One session: what it has read is counted at once.
    database = createDatabase({ ...patient, url: testDatabase.url, applicationName: 'test', poolSize: 1, log });
  });

  beforeEach(async () => {
    await database.query('DROP TABLE IF EXISTS aging');
    await database.query(
      'CREATE TABLE aging (id uuid, nth integer, over_at timestamptz, note text, PRIMARY KEY (id, nth))',
    );
  });

  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const aging = { name: 'aging', key: 'id', since: 'over_at' };
  const insert = (ids: string[], overAt: Date | null) =>
    database.query(
      `INSERT INTO aging SELECT id, nth, $2, repeat('x', 900) FROM unnest($1::uuid[]) WITH ORDINALITY AS n (id, nth)`,
      [ids, overAt],
    );
  const count = async () => (await database.query('SELECT FROM aging')).length;
  const idsAt = (at: Date, many: number) => Array.from({ length: many }, () => newEventId(at));

  it('loses what is older than it is kept, and nothing that is open or was over later', async () => {
    const now = new Date();
    const before = new Date(now.getTime() - 30 * day);
    const long = new Date(now.getTime() - 31 * day);
    await insert(idsAt(long, 6_000), long);
    await insert(idsAt(long, 6_000), null);
    await insert(idsAt(long, 3), now);
    await insert(idsAt(now, 5), now);
    // One key for more rows than are removed at once.
    const one = newEventId(long);
    await insert(
      Array.from({ length: 12_000 }, () => one),
      long,
    );
    expect(await removeOlder(database, aging, before)).toBe(18_000);
    expect(await count()).toBe(6_008);
    expect(await removeOlder(database, aging, before)).toBe(0);
    await insert(
      Array.from({ length: 6_000 }, () => one),
      null,
    );
    expect(await removeOlder(database, aging, before)).toBe(0);
  });

  it('stops between two chunks when it is told to', async () => {
    const long = new Date(Date.now() - 2 * day);
    await insert(idsAt(long, 5_500), long);
    const stopping = new AbortController();
    const query: Database['query'] = async (...statement) => {
      stopping.abort();
      return database.query(...statement);
    };
    expect(await removeOlder({ ...database, query }, aging, new Date(), stopping.signal)).toBe(5_000);
    expect(await count()).toBe(500);
  });

  it('costs the same to shorten, however often it has turned over', async () => {
    const kept = 40;
    const begin = Date.now();
    const blocks: number[] = [];
    for (let nth = 0; nth < 3 * kept; nth += 1) {
      const at = new Date(begin + nth * day);
      await insert(idsAt(at, 200), at);
      const before = await blocksOf(database);
      await removeOlder(database, aging, new Date(at.getTime() - kept * day + 1));
      blocks.push((await blocksOf(database)) - before);
      if (nth % 4 === 0) await database.query('VACUUM aging');
    }
    expect(await count()).toBe(kept * 200);
    const [first, ...later] = blocks.slice(kept);
    expect(Math.max(...later)).toBeLessThan(1.5 * first!);
    // A fortieth of the rows goes each time: whoever looks for them in the whole table reads more blocks than it has.
    const [{ size } = { size: 0 }] = await database.query<{ size: number }>(
      `SELECT (pg_relation_size('aging') / 8192)::integer AS size`,
    );
    expect(Math.max(...later)).toBeLessThan(size);
  });
});

/** Blocks of the table that were read or written so far. */
async function blocksOf(database: Database): Promise<number> {
  await database.query('SELECT pg_stat_force_next_flush()');
  const [row] = await database.query<{ blocks: number }>(
    `SELECT (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::integer AS blocks
     FROM pg_statio_user_tables WHERE relname = 'aging'`,
  );
  return row?.blocks ?? 0;
}

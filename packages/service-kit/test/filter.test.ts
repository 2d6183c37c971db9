import { ServiceError } from '@sabia/service-kit/errors';
import { countRows, listRows } from '@sabia/service-kit/filter/list';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { arrayLimits, defineResource } from '@sabia/service-kit/filter/resource';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import fc from 'fast-check';

const things = defineResource({
  name: 'thing',
  columns: 'id, account_id AS "accountId", name',
  from: 'things',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id', aliases: ['number'] },
    uuid: { type: 'uuid', sql: 'uuid' },
    name: { type: 'text', sql: 'name' },
    price: { type: 'decimal', sql: 'price' },
    active: { type: 'boolean', sql: 'active' },
    at: { type: 'timestamp', sql: 'at', aliases: ['date'] },
    metadata: { type: 'json', sql: 'metadata' },
  },
  includes: ['owner'],
  defaultOrder: { field: 'id', descending: false },
  ...arrayLimits,
});

interface Thing {
  id: number;
  accountId: number;
  name: string | null;
}

const zone = 'America/Sao_Paulo';
const mine = 1;
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase('identity');
  const log = createLogger({ name: 'filter-test', level: 'silent' });
  database = createDatabase({ url: testDatabase.url, applicationName: 'filter-test', poolSize: 4, log });
  await database.query(`CREATE TABLE things (
    id bigint PRIMARY KEY, account_id bigint NOT NULL, uuid uuid NOT NULL, name text, price numeric(12, 4),
    active boolean, at timestamptz, metadata jsonb)`);
  await database.query(`CREATE INDEX things_metadata ON things USING gin (metadata jsonb_path_ops)`);
  await database.query(`INSERT INTO things (id, account_id, uuid, name, price, active, at, metadata) VALUES
    (1, 1, '00000000-0000-4000-8000-000000000001', 'Ana', 1.5, true, '2026-01-01T02:59:59.999Z', '{"lead":"42","score":5}'),
    (2, 1, '00000000-0000-4000-8000-000000000002', 'bruno', 10, false, '2026-01-01T03:00:00Z', '{"lead":42,"score":"10","tags":["a","b"]}'),
    (3, 1, '00000000-0000-4000-8000-000000000003', '100%_\\', 0.1, NULL, '2026-01-02T02:59:59.999Z', '{"deep":{"er":true}}'),
    (4, 1, '00000000-0000-4000-8000-000000000004', NULL, NULL, true, '2026-01-02T03:00:00Z', NULL),
    (5, 2, '00000000-0000-4000-8000-000000000005', 'Ana', 1.5, true, '2026-01-01T03:00:00Z', '{"lead":"42","score":5}'),
    (6, 2, '00000000-0000-4000-8000-000000000006', NULL, NULL, NULL, NULL, NULL)`);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const list = (text: string, accountId = mine) =>
  listRows<Thing>(database, things, { accountId, filter: readFilter(things, text, zone) });

const ids = async (where: unknown) => (await list(JSON.stringify({ where }))).map(({ id }) => id);

describe('what matches', () => {
  test.each([
    [{}, [1, 2, 3, 4]],
    [{ name: 'Ana' }, [1]],
    [{ name: { neq: 'Ana' } }, [2, 3, 4]],
    [{ name: null }, [4]],
    [{ name: { neq: null } }, [1, 2, 3]],
    [{ name: { inq: ['Ana', null] } }, [1, 4]],
    [{ name: { nin: ['Ana', null] } }, [2, 3]],
    [{ name: { nin: [] } }, [1, 2, 3, 4]],
    [{ name: { like: 'A%' } }, [1]],
    [{ name: { like: '100\\%\\_%' } }, [3]],
    [{ name: { like: '%\\' } }, [3]],
    [{ name: { ilike: 'BRU_O' } }, [2]],
    [{ name: { nilike: 'bru%' } }, [1, 3, 4]],
    [{ name: { regexp: '/^BR/i' } }, [2]],
    [{ name: { regexp: '^\\d+' } }, [3]],
    [{ id: '2' }, [2]],
    [{ id: { gt: 1.5, lt: '3.5' } }, [2, 3]],
    [{ id: { between: ['2', 3] } }, [2, 3]],
    [{ id: { inq: [1, '2', 2.5] } }, [1, 2]],
    [{ id: 1e300 }, []],
    [{ id: { lt: 1e300 } }, [1, 2, 3, 4]],
    [{ number: { like: '%2%' } }, [2]],
    [{ uuid: '00000000-0000-4000-8000-000000000003' }, [3]],
    [{ uuid: 'nobody' }, []],
    [{ uuid: { neq: 'nobody' } }, [1, 2, 3, 4]],
    [{ uuid: { like: '%0004' } }, [4]],
    [{ price: 0.1 }, [3]],
    [{ price: { inq: ['0.10', 10] } }, [2, 3]],
    [{ active: 'true' }, [1, 4]],
    [{ active: { neq: 1 } }, [2, 3]],
    [{ active: { inq: [false, null] } }, [2, 3]],
    [{ date: '2026-01-01' }, [2, 3]],
    [{ date: { neq: '2026-01-01' } }, [1, 4]],
    [{ date: { gt: '2026-01-01' } }, [4]],
    [{ date: { gte: '2026-01-01' } }, [2, 3, 4]],
    [{ date: { lt: '2026-01-01' } }, [1]],
    [{ date: { lte: '2026-01-01' } }, [1, 2, 3]],
    [{ date: { between: ['2025-12-31', '2026-01-01'] } }, [1, 2, 3]],
    [{ date: '2026-01-01T03:00:00.000Z' }, [2]],
    [{ date: '2026-01-01T00:00:00-03:00' }, [2]],
    [{ date: { inq: ['2026-01-01 00:00', '2026-01-02'] } }, [2, 4]],
    [{ metadata: { lead: '42' } }, [1]],
    [{ metadata: { neq: null } }, [1, 2, 3]],
    [{ metadata: null }, [4]],
    [{ 'metadata.lead': '42' }, [1, 2]],
    [{ 'metadata.lead': 42 }, [1, 2]],
    [{ 'metadata.lead': { neq: 42 } }, [3, 4]],
    [{ 'metadata.lead': { inq: [41, '42'] } }, [1, 2]],
    [{ 'metadata.score': { gt: 5 } }, [2]],
    [{ 'metadata.score': { gt: '5' } }, []],
    [{ 'metadata.deep.er': true }, [3]],
    [{ 'metadata.deep.er': 'true' }, [3]],
    [{ 'metadata.tags.1': 'b' }, [2]],
    [{ 'metadata.lead': null }, [3, 4]],
    [{ 'metadata.lead': { like: '4%' } }, [1, 2]],
    [{ or: [{ id: 1 }, { and: [{ id: { gt: 2 } }, { active: true }] }] }, [1, 4]],
  ])('%j', async (where, expected) => {
    await expect(ids(where)).resolves.toEqual(expected);
  });

  test('order, limit and offset', async () => {
    const order = async (filter: object) => (await list(JSON.stringify(filter))).map(({ id }) => id);
    await expect(order({ order: 'active DESC, id desc' })).resolves.toEqual([3, 4, 1, 2]);
    await expect(order({ order: ['metadata.lead ASC', 'id DESC'], limit: 2, skip: 1 })).resolves.toEqual([1, 4]);
    await expect(order({ offset: Number.MAX_SAFE_INTEGER })).resolves.toEqual([]);
  });

  test('pages', async () => {
    const filter = readFilter(things, '{"limit":3}', zone);
    const page = await listPage<Thing>(database, things, { accountId: mine, filter, page: 2 });
    expect(page.rows.map(({ id }) => id)).toEqual([4]);
    expect(page.meta).toEqual({
      totalItemCount: 4,
      totalPageCount: 2,
      itemsPerPage: 3,
      currentPage: 2,
      nextPage: undefined,
      previousPage: 1,
    });
    const far = await listPage<Thing>(database, things, { accountId: mine, filter, page: 2 ** 31 - 1 });
    expect(far.rows).toEqual([]);
    const counted = await listPage<Thing>(database, things, {
      accountId: mine,
      filter,
      page: 1,
      countAll: () => Promise.resolve(99),
    });
    expect(counted.meta.totalItemCount).toBe(99);
  });
});

describe('patterns', () => {
  test.each(['(', '[[', 'a{2,1}', '(?<name>a)', '***x', '\\'])(
    '%j is no regular expression to PostgreSQL',
    async (pattern) => {
      await expect(ids({ name: { regexp: pattern } })).rejects.toMatchObject({ code: 'INVALID_FILTER' });
    },
  );

  test('one that never ends is ended', async () => {
    await database.query(
      `INSERT INTO things (id, account_id, uuid, name) VALUES (99, 3, gen_random_uuid(), repeat('a', 2001))`,
    );
    const startedAt = Date.now();
    await expect(
      list(JSON.stringify({ where: { name: { regexp: '^(a*)(a*)(a*)(a*)\\4\\3\\2\\1$' } } }), 3),
    ).rejects.toMatchObject({ code: 'INVALID_FILTER', message: expect.stringMatching(/too long/) as string });
    expect(Date.now() - startedAt).toBeLessThan(60_000);
  });
});

/** Typed 400 or rows of the account: nothing else, ever. */
async function holds(text: string): Promise<void> {
  let filter;
  try {
    filter = readFilter(things, text, zone);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_FILTER') {
      return;
    }
    throw error;
  }
  try {
    const options = { accountId: mine, filter };
    const rows = await listRows<Thing>(database, things, options);
    expect(rows.filter(({ accountId }) => accountId !== mine)).toEqual([]);
    const count = await countRows(database, things, options);
    expect(count).toBeLessThanOrEqual(4);
    expect(count).toBeGreaterThanOrEqual(rows.length);
  } catch (error) {
    // Only a pattern may be found wanting by PostgreSQL.
    if (!(error instanceof ServiceError && error.code === 'INVALID_FILTER' && /regexp|like/.test(text))) {
      throw error;
    }
  }
}

describe('no filter text makes SQL that fails or leaves the account', () => {
  const names = fc.oneof(
    {
      weight: 10,
      arbitrary: fc.constantFrom(
        ...Object.keys(things.fields),
        'number',
        'date',
        'metadata.lead',
        'metadata.score',
        'metadata.tags.0',
        'metadata.deep.er',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'account_id',
        'accountId',
        '__proto__',
        'constructor',
        'and',
        'or',
        'metadata.',
        'metadata.a.b.c.d.e.f.g.h.i',
        "id'; DROP TABLE things --",
      ),
    },
    { weight: 1, arbitrary: fc.string().map((text) => `metadata.${text}`) },
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '',
      '%',
      '_',
      '\\',
      '\\\\\\',
      '%\\',
      "'",
      '"',
      '$1',
      '{',
      '{}',
      '[]',
      '/(/',
      '/a/i',
      '/a/gi',
      '(?i)x',
      '***:x',
      'null',
      'true',
      '1',
      '-1',
      '1.5',
      '1e5',
      '1e308',
      '1e999',
      '0x10',
      '9007199254740993',
      '99999999999999999999',
      'NaN',
      'Infinity',
      '\0',
      '\ud800',
      '\u2028',
      '🐦',
    ),
    fc.constantFrom(
      '2026-01-01',
      '2026-02-29',
      '9999-12-31',
      '0001-01-01',
      '10000-01-01',
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00+14:59',
      '2026-01-01 24:00',
      '2018-11-04',
      '1700000000000',
      'infinity',
      'now',
    ),
  );
  const scalars = fc.oneof(
    texts,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(1e21, 1e-300, -0, 8.64e15, Number.MAX_SAFE_INTEGER, 2 ** 63),
  );
  const operands = fc.oneof(
    { weight: 4, arbitrary: scalars },
    fc.array(scalars, { maxLength: 4 }),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const operators = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom(
        'eq',
        'neq',
        'gt',
        'gte',
        'lt',
        'lte',
        'between',
        'inq',
        'nin',
        'like',
        'nlike',
        'ilike',
        'nilike',
        'regexp',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom('$gt', 'near', '', 'EQ') },
  );
  const operations = fc.oneof(operands, fc.dictionary(operators, operands, { maxKeys: 2 }));
  const { where } = fc.letrec<{ where: unknown }>((tie) => ({
    where: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.dictionary(names, operations, { maxKeys: 2 }),
      fc.record({ and: fc.array(tie('where'), { maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('where'), { maxLength: 3 }) }),
    ),
  }));
  const filters = fc.record(
    {
      where,
      order: fc.oneof(
        names,
        fc.array(
          fc.tuple(names, fc.constantFrom('', ' ASC', ' desc', ' up')).map(([name, way]) => name + way),
          { maxLength: 3 },
        ),
      ),
      limit: fc.oneof(fc.integer({ min: -1, max: 2000 }), scalars),
      offset: fc.oneof(fc.integer({ min: -1, max: 10 }), scalars),
      fields: fc.oneof(fc.array(names, { maxLength: 2 }), fc.dictionary(names, fc.boolean(), { maxKeys: 2 }), scalars),
      include: fc.constantFrom('owner', ['owner'], 'nobody', null),
    },
    { requiredKeys: ['where'] },
  );
  /** Only `where`, so that most of them reach PostgreSQL. */
  const lone = fc.tuple(fc.constantFrom(...Object.keys(things.fields), 'metadata.lead', 'metadata.tags.0'), operations);

  test('text of any kind', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), holds), { numRuns: 500 });
  });

  test('one condition with any operand', async () => {
    await fc.assert(
      fc.asyncProperty(lone, ([name, operation]) => holds(JSON.stringify({ where: { [name]: operation } }))),
      { numRuns: 2_000 },
    );
  });

  test('whole filters', async () => {
    await fc.assert(
      fc.asyncProperty(filters, (filter) => holds(JSON.stringify(filter))),
      { numRuns: 1_000 },
    );
  });

  test('texts that are almost filters', async () => {
    const almost = fc
      .tuple(filters, fc.nat(), fc.constantFrom('', '"', '{', '}', ',', '\\', 'null', '0'))
      .map(([filter, at, insert]) => {
        const text = JSON.stringify(filter);
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + 1);
      });
    await fc.assert(fc.asyncProperty(almost, holds), { numRuns: 500 });
  });
});

import { ServiceError } from '../errors';
import { compileFilter } from './compile';
import { readFilter } from './read-filter';
import { defineResource, pageLimits } from './resource';

const calls = defineResource({
  name: 'call',
  columns: 'id',
  from: 'calls',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'uuid', sql: 'id' },
    started_at: { type: 'timestamp', sql: 'started_at', aliases: ['date'] },
    from: { type: 'text', sql: 'caller', aliases: ['extension'] },
    duration: { type: 'integer', sql: 'duration' },
    call_price: { type: 'decimal', sql: 'call_price' },
    answered: { type: 'boolean', sql: 'answered' },
    metadata: { type: 'json', sql: 'metadata' },
  },
  includes: ['recording'],
  defaultOrder: { field: 'started_at', descending: true },
  ...pageLimits,
});

const zone = 'America/Sao_Paulo';
const read = (filter: unknown) => readFilter(calls, typeof filter === 'string' ? filter : JSON.stringify(filter), zone);

function sql(where: unknown): [string, ...unknown[]] {
  const { where: text, values } = compileFilter(calls, read({ where }), 7);
  const prefix = 'account_id = $1::bigint AND ';
  expect(values[0]).toBe(7);
  expect(text.startsWith(prefix)).toBe(true);
  return [text.slice(prefix.length), ...values.slice(1)];
}

function refusal(filter: unknown): string {
  try {
    read(filter);
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).code).toBe('INVALID_FILTER');
    return (error as ServiceError).message;
  }
  throw new Error('the filter was accepted');
}

describe('without a filter', () => {
  test.each([undefined, '', '  ', 'null', '{}', '{"where":null}', '{"where":{}}'])(
    '%j is every row of the account',
    (text) => {
      const compiled = compileFilter(calls, readFilter(calls, text, zone), 7);
      expect(compiled).toMatchObject({
        where: 'account_id = $1::bigint',
        orderBy: 'ORDER BY started_at DESC, id DESC',
        values: [7],
      });
    },
  );
});

describe('where', () => {
  test('a bare value is equality, several operators on one field are all required', () => {
    expect(sql({ from: '1000' })).toEqual(['caller = $2::text', '1000']);
    expect(sql({ duration: { gt: 5, lte: '60' } })).toEqual([
      '(duration > $2::bigint AND duration <= $3::bigint)',
      5,
      60,
    ]);
  });

  test('an empty element matches everything: it adds nothing to "and", and opens "or" for all', () => {
    expect(read({ where: { or: [{}, { from: '1000' }] } }).where).toBeUndefined();
    expect(sql({ and: [{}, { from: '1000' }] })).toEqual(['(caller = $2::text)', '1000']);
  });

  test('aliases name the same field', () => {
    expect(sql({ extension: 1000 })).toEqual(['caller = $2::text', '1000']);
  });

  test('null matches null', () => {
    expect(sql({ from: null })).toEqual(['caller IS NULL']);
    expect(sql({ from: { neq: null } })).toEqual(['caller IS NOT NULL']);
    // A query string has no other way to say it; a text may be called that.
    expect(sql({ duration: 'null' })).toEqual(['duration IS NULL']);
    expect(sql({ date: { neq: 'null' } })).toEqual(['started_at IS NOT NULL']);
    expect(sql({ from: 'null' })).toEqual(['caller = $2::text', 'null']);
    expect(sql({ from: { inq: ['1', null] } })).toEqual(['(caller = ANY ($2::text[]) OR caller IS NULL)', ['1']]);
  });

  test('a negation is the complement: a row without a value is not equal', () => {
    expect(sql({ from: { neq: 'x' } })).toEqual(['((caller = $2::text) IS NOT TRUE)', 'x']);
    expect(sql({ from: { nlike: 'x%' } })).toEqual(['((caller LIKE $2::text) IS NOT TRUE)', 'x%']);
    expect(sql({ duration: { nin: [1, 2] } })).toEqual(['(((duration = ANY ($2::bigint[]))) IS NOT TRUE)', [1, 2]]);
  });

  test('and, or, nested; empty groups say nothing', () => {
    expect(sql({ or: [{ from: '1' }, { and: [{ duration: 1 }, { answered: 'true' }] }] })).toEqual([
      '(caller = $2::text OR (duration = $3::bigint AND answered = $4::boolean))',
      '1',
      1,
      true,
    ]);
    expect(read({ where: { or: [], and: [{}] } }).where).toBeUndefined();
  });

  test('an empty list matches nothing', () => {
    expect(sql({ duration: { inq: [] } })).toEqual(['FALSE']);
  });

  test('lists may come from the bracket form', () => {
    expect(sql({ duration: { inq: { 0: '1', 1: '2' } } })).toEqual(['(duration = ANY ($2::bigint[]))', [1, 2]]);
    expect(sql({ duration: { inq: '1' } })).toEqual(['(duration = ANY ($2::bigint[]))', [1]]);
    expect(sql({ duration: ['1', '2'] })).toEqual(['(duration = ANY ($2::bigint[]))', [1, 2]]);
    expect(sql({ or: { 0: { from: '1' } } })).toEqual(['(caller = $2::text)', '1']);
  });

  test('whole numbers equal no fraction but may be bounded by one', () => {
    expect(sql({ duration: 1.5 })).toEqual(['FALSE']);
    expect(sql({ duration: { gt: '1.5' } })).toEqual(['duration > $2::numeric', '1.5']);
    expect(sql({ call_price: { between: ['0.10', 2] } })).toEqual([
      '(call_price >= $2::numeric AND call_price <= $3::numeric)',
      '0.1',
      '2',
    ]);
  });

  test('an id that cannot exist matches nothing', () => {
    expect(sql({ id: 'nonsense' })).toEqual(['FALSE']);
    expect(sql({ id: '0B0A2E5E-4C7C-4A2B-9D52-1F1C6E6F7A01' })).toEqual([
      'id = $2::uuid',
      '0b0a2e5e-4c7c-4a2b-9d52-1f1c6e6f7a01',
    ]);
  });

  test('patterns are parameters', () => {
    expect(sql({ from: { ilike: '%ana\\' } })).toEqual(['caller ILIKE $2::text', '%ana\\\\']);
    expect(sql({ duration: { like: '1%' } })).toEqual(['(duration)::text LIKE $2::text', '1%']);
    expect(sql({ from: { regexp: '/^a.*/i' } })).toEqual(['caller ~* $2::text', '^a.*']);
    expect(sql({ from: { regexp: '^a' } })).toEqual(['caller ~ $2::text', '^a']);
  });
});

describe('dates', () => {
  const local = '($2::timestamp AT TIME ZONE $3::text)';
  const localNext = '($4::timestamp AT TIME ZONE $5::text)';

  test('a date alone is the whole day in the zone of the account', () => {
    expect(sql({ date: '2026-02-28' })).toEqual([
      `(started_at >= ${local} AND started_at < ${localNext})`,
      '2026-02-28',
      zone,
      '2026-03-01',
      zone,
    ]);
    expect(sql({ started_at: { gte: '2026-12-31' } })).toEqual([`started_at >= ${local}`, '2026-12-31', zone]);
    expect(sql({ started_at: { gt: '2026-12-31' } })).toEqual([`started_at >= ${local}`, '2027-01-01', zone]);
    expect(sql({ started_at: { lte: '2026-12-31' } })).toEqual([`started_at < ${local}`, '2027-01-01', zone]);
    expect(sql({ started_at: { lt: '2026-12-31' } })).toEqual([`started_at < ${local}`, '2026-12-31', zone]);
  });

  test('an instant is an instant; a time without a zone is local', () => {
    expect(sql({ date: { lt: '2026-01-01T10:00:00.000Z' } })).toEqual([
      'started_at < $2::timestamptz',
      '2026-01-01T10:00:00.000Z',
    ]);
    expect(sql({ date: { lt: '2026-01-01 10:00' } })).toEqual([
      `started_at < ${local}`,
      '2026-01-01T10:00:00.000',
      zone,
    ]);
    expect(sql({ date: { gt: 1767225600000 } })).toEqual(['started_at > $2::timestamptz', '2026-01-01T00:00:00.000Z']);
  });

  test.each([
    '2026-02-30',
    '2026-13-01',
    '0000-01-01',
    '2026-01-01T25:00Z',
    '2026-01-01T10:00+20:00',
    'yesterday',
    true,
    1e300,
    '',
  ])('%j is no date', (value) => {
    expect(refusal({ where: { date: { gt: value } } })).toMatch(/date/);
  });
});

describe('metadata', () => {
  test('an object means contains', () => {
    expect(sql({ metadata: { a: 1 } })).toEqual(['metadata @> $2::jsonb', '{"a":1}']);
  });

  test('equality of a path is containment, a number and its text are equal', () => {
    expect(sql({ 'metadata.lead.id': '42' })).toEqual([
      '(metadata @> $2::jsonb OR metadata @> $3::jsonb)',
      '{"lead":{"id":"42"}}',
      '{"lead":{"id":42}}',
    ]);
    expect(sql({ 'metadata.a': 'b' })).toEqual(['(metadata @> $2::jsonb)', '{"a":"b"}']);
    expect(sql({ 'metadata.a': true })).toEqual([
      '(metadata @> $2::jsonb OR metadata @> $3::jsonb)',
      '{"a":true}',
      '{"a":"true"}',
    ]);
    expect(sql({ 'metadata.a': '1e999999' })).toEqual(['(metadata @> $2::jsonb)', '{"a":"1e999999"}']);
    expect(sql({ 'metadata.__proto__': 'x' })).toEqual(['(metadata @> $2::jsonb)', '{"__proto__":"x"}']);
  });

  test('places in arrays, order and patterns read the text', () => {
    expect(sql({ 'metadata.tags.0': 'x' })).toEqual(['(metadata #>> $2::text[]) = $3::text', ['tags', '0'], 'x']);
    expect(sql({ 'metadata.a': { gt: 'x' } })).toEqual(['(metadata #>> $2::text[]) > $3::text', ['a'], 'x']);
    expect(sql({ 'metadata.a': { gt: 3 } })[0]).toMatch(/^\(CASE WHEN .* THEN .*::numeric END\) > \$3::numeric$/);
    expect(sql({ 'metadata.a': { like: 'x%' } })).toEqual(['(metadata #>> $2::text[]) LIKE $3::text', ['a'], 'x%']);
    expect(sql({ 'metadata.a': null })).toEqual(['(metadata #>> $2::text[]) IS NULL', ['a']]);
  });
});

describe('refusals name the part', () => {
  test.each([
    ['[]', /must be a JSON object/],
    ['{', /not valid JSON/],
    ['"x"', /must be a JSON object/],
    [{ were: {} }, /unknown key "were"; there are where/],
    [{ where: [] }, /"where" must be an object/],
    [{ where: { nope: 1 } }, /call has no field "nope"; the fields are id, started_at, from/],
    [{ where: { 'from.x': 1 } }, /no field "from.x"/],
    [{ where: { constructor: 1 } }, /no field "constructor"/],
    [{ where: { from: { $gt: 1 } } }, /"from" has the unknown operator "\$gt"/],
    [{ where: { metadata: { $gt: 1 } } }, /unknown operator "\$gt"/],
    [{ where: { from: {} } }, /empty object/],
    [{ where: { from: { inq: [[1]] } } }, /plain values/],
    [{ where: { duration: 'abc' } }, /"abc" cannot be compared with "duration", which is of type integer/],
    [{ where: { answered: 'maybe' } }, /type boolean/],
    [{ where: { answered: { gt: true } } }, /type boolean/],
    [{ where: { duration: { between: [1] } } }, /"between" on "duration"/],
    [{ where: { date: { like: '2026%' } } }, /"like" cannot be used on "date"/],
    [{ where: { from: { regexp: '/a/x' } } }, /unknown flags/],
    [{ fields: ['date'] }, /"fields" names the fields of the answer: "started_at", not "date"/],
    [{ where: { or: 'x' } }, /"or" must be a list/],
    [{ where: { or: ['x'] } }, /element of "or"/],
    [{ where: { metadata: 'x' } }, /"metadata" can be compared with an object/],
    [{ where: { 'metadata.': 'x' } }, /not a usable path/],
    [{ where: { from: 'a\0b' } }, /NUL/],
    [{ where: { from: '\ud800' } }, /surrogate/],
    ['{"where":{"duration":1e999}}', /too large/],
    [{ order: 'from sideways' }, /"from sideways" in "order"/],
    [{ order: 'nope' }, /no field "nope"/],
    [{ order: 'metadata' }, /has no order/],
    [{ order: [1] }, /"order" must be/],
    [{ limit: -1 }, /"limit"/],
    [{ limit: 1.5 }, /"limit"/],
    [{ offset: 'x' }, /"offset"/],
    [{ skip: -1 }, /"skip"/],
    [{ fields: ['nope'] }, /no field "nope"/],
    [{ fields: { from: 'perhaps' } }, /"from" in "fields"/],
    [{ include: 'owner' }, /cannot include "owner"; there are recording/],
  ])('%j', (filter, message) => {
    expect(refusal(filter)).toMatch(message);
  });

  test('size is bounded', () => {
    const deep = `{"where":${'{"and":['.repeat(40)}{"from":"x"}${']}'.repeat(40)}}`;
    expect(refusal(deep)).toMatch(/nested deeper/);
    expect(refusal({ where: { or: Array.from({ length: 501 }, () => ({ from: 'x' })) } })).toMatch(/conditions/);
    expect(refusal({ where: { from: { inq: Array.from({ length: 5001 }, () => 'x') } } })).toMatch(/values/);
    expect(refusal(`{"where":{"from":"${'x'.repeat(70_000)}"}}`)).toMatch(/longer than/);
    expect(refusal({ where: { from: { like: 'x'.repeat(501) } } })).toMatch(/longer than/);
  });
});

describe('the rest', () => {
  const order = (value: unknown) => compileFilter(calls, read({ order: value }), 1).orderBy;

  test('order in any case, as a list or an array, always total', () => {
    expect(order('duration desc')).toBe('ORDER BY duration DESC, id DESC');
    expect(order('duration, from DESC')).toBe('ORDER BY duration ASC, caller DESC, id DESC');
    expect(order(['duration ASC', 'id asc'])).toBe('ORDER BY duration ASC, id ASC');
    expect(order({ 0: 'duration ASC' })).toBe('ORDER BY duration ASC, id ASC');
    expect(order('')).toBe('ORDER BY started_at DESC, id DESC');
    expect(order('metadata.a desc')).toBe('ORDER BY (metadata #>> $2::text[]) DESC, id DESC');
  });

  test('limit and offset', () => {
    expect(read({})).toMatchObject({ limit: 50, offset: 0 });
    expect(read({ limit: 0 })).toMatchObject({ limit: 50 });
    expect(read({ limit: '20', skip: '5' })).toMatchObject({ limit: 20, offset: 5 });
    expect(read({ limit: 5000, offset: 7, skip: 9 })).toMatchObject({ limit: 1000, offset: 7 });
  });

  test('fields and include', () => {
    expect(read({ fields: ['from', 'duration'] }).fields).toEqual({ mode: 'only', names: ['from', 'duration'] });
    expect(read({ fields: { from: true, duration: 'true' } }).fields).toEqual({
      mode: 'only',
      names: ['from', 'duration'],
    });
    expect(read({ fields: { from: false } }).fields).toEqual({ mode: 'except', names: ['from'] });
    expect(read({ fields: [] }).fields).toBeUndefined();
    expect(read({ include: ['recording'] }).include).toEqual(['recording']);
    expect(read({ include: { relation: 'recording' } }).include).toEqual(['recording']);
  });
});

test('a field may be compared and ordered by something else that an index knows better', () => {
  const compare = (operator: string, operand: string) => `id ${operator} first_of(${operand})`;
  const fields = {
    id: { type: 'integer', sql: 'id' },
    at: { type: 'timestamp', sql: 'at', compare, order: 'id' },
  } as const;
  const resource = defineResource({ ...calls, fields, defaultOrder: { field: 'id', descending: true } });
  const moments = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const filter = { where: { at: { gt: moments[0], inq: moments } }, order: 'at ASC' };
  expect(compileFilter(resource, readFilter(resource, JSON.stringify(filter), zone), 7)).toMatchObject({
    where:
      'account_id = $1::bigint AND (id > first_of($2::timestamptz) AND ' +
      '((id = first_of($3::timestamptz) OR id = first_of($4::timestamptz))))',
    orderBy: 'ORDER BY id ASC',
  });
});

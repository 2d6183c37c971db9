import { compileSimpleFilter } from './simple-filter';

const add = compileSimpleFilter(['from', 'ramal=from', 'extension=from', 'email']);
const parsed = (filter: string | undefined, query: Record<string, unknown>): unknown => {
  const text = add(filter, query);
  return text === undefined ? undefined : JSON.parse(text);
};

test('a query without simple parameters leaves the filter as it was written', () => {
  expect(add(undefined, { page: '1', unknown: 'x' })).toBeUndefined();
  expect(add('{ "where": {"a": 1.0} }', { page: '1' })).toBe('{ "where": {"a": 1.0} }');
});

test.each([
  [{ ramal: '1000' }, { where: { and: [{ from: '1000' }] } }],
  [{ from: ['1000', '1001'] }, { where: { and: [{ from: ['1000', '1001'] }] } }],
  [{ email: 'a@example.com', extension: '7' }, { where: { and: [{ from: '7' }, { email: 'a@example.com' }] } }],
  [
    { per_page: '20', skip: '40', order: 'to DESC' },
    { limit: '20', offset: '40', order: 'to DESC' },
  ],
  [{ pageSize: '5' }, { limit: '5' }],
  [{ perPage: '5' }, { limit: '5' }],
  [{ ramal: '', limit: '' }, undefined],
])('%j', (query, filter) => {
  expect(parsed(undefined, query)).toEqual(filter);
});

test('a filter that names the same field wins, also under another name and inside of and', () => {
  expect(parsed('{"where":{"extension":"1"},"limit":3}', { ramal: '2', limit: '9', email: 'e' })).toEqual({
    where: { and: [{ extension: '1' }, { email: 'e' }] },
    limit: 3,
  });
  expect(parsed('{"where":{"and":[{"from":"1"}]}}', { ramal: '2' })).toEqual({ where: { and: [{ from: '1' }] } });
  expect(parsed('{"skip":3}', { offset: '9' })).toEqual({ skip: 3 });
});

test('long numbers of the filter stay to the digit', () => {
  expect(add('{"where":{"metadata.id":9007199254740993}}', { ramal: '2' })).toBe(
    '{"where":{"and":[{"metadata.id":9007199254740993},{"from":"2"}]}}',
  );
});

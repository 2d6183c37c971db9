import { costOf } from './cost';
import { readFilter } from './read-filter';
import { defineResource, pageLimits } from './resource';

const definition = {
  name: 'thing',
  columns: 'id',
  from: 'things',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id' },
    name: { type: 'text', sql: 'name' },
    metadata: { type: 'json', sql: 'metadata' },
  },
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
} as const;
const few = defineResource(definition);
const many = defineResource({ ...definition, indexed: ['id'] });

const cost = (resource: typeof few, filter: object, start = 0) =>
  costOf(resource, readFilter(resource, JSON.stringify(filter), 'UTC'), start);

describe('the cost of a list', () => {
  test.each([
    [{}, 'small', 'growing'],
    [{ where: { id: 7 } }, 'small', 'growing'],
    [{ where: { id: { inq: [7, 8, null] } }, order: 'id ASC' }, 'small', 'growing'],
    [{ where: { and: [{ id: 7 }, { name: 'Ana' }] } }, 'small', 'growing'],
    [{ where: { or: [{ id: 7 }, { name: 'Ana' }] } }, 'small', 'costly'],
    [{ where: { name: 'Ana' } }, 'small', 'costly'],
    [{ where: { id: { neq: 7 } } }, 'small', 'costly'],
    [{ order: 'name' }, 'small', 'costly'],
    [{ where: { name: { ilike: '%a%' } } }, 'costly', 'costly'],
    [{ where: { id: 7, name: { nlike: 'a%' } } }, 'costly', 'costly'],
    [{ where: { or: [{ id: 7 }, { name: { regexp: 'a' } }] } }, 'costly', 'costly'],
    [{ where: { 'metadata.lead': '42' } }, 'costly', 'costly'],
    [{ where: { 'metadata.score': { gt: 5 } } }, 'costly', 'costly'],
    [{ where: { metadata: { lead: 42 } } }, 'costly', 'costly'],
    [{ order: 'metadata.lead' }, 'costly', 'costly'],
  ])('of %j is %s where there are few, %s where there may be many', (filter, ofFew, ofMany) => {
    expect([cost(few, filter), cost(many, filter)]).toEqual([ofFew, ofMany]);
  });

  it('grows with the rows that come before the page', () => {
    expect([cost(few, {}, 10_000), cost(few, {}, 10_001)]).toEqual(['small', 'costly']);
  });
});

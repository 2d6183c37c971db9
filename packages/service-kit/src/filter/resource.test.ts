import { arrayLimits, defineResource } from './resource';
import type { Field } from './resource';

const define = (fields: Record<string, Field>, order = 'id') =>
  defineResource({
    name: 'thing',
    columns: 'id',
    from: 'things',
    tenant: 'account_id',
    key: 'id',
    fields,
    defaultOrder: { field: order, descending: false },
    ...arrayLimits,
  });

test('a name is declared once and has no dot', () => {
  const id: Field = { type: 'integer', sql: 'id' };
  expect(() => define({ id, name: { type: 'text', sql: 'name', aliases: ['id'] } })).toThrow(/"id" cannot be declared/);
  expect(() => define({ id, 'a.b': { type: 'text', sql: 'a' } })).toThrow(/"a.b" cannot be declared/);
  expect(() => define({ id }, 'nope')).toThrow(/default order/);
});

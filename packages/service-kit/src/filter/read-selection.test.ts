import { selectFields } from './read-selection';

const shown = (filter: string | undefined, fields = ['id', 'name', 'email']) => {
  const select = selectFields(filter);
  return select === undefined ? 'all' : fields.filter(select);
};

test.each([
  [undefined, 'all'],
  ['{}', 'all'],
  ['{"fields":[]}', 'all'],
  ['{"fields":', 'all'],
  ['{"fields":{"name":"perhaps"}}', 'all'],
  ['{"fields":["name"]}', ['name']],
  ['{"fields":"name,id"}', ['id', 'name']],
  ['{"fields":{"0":"name"}}', ['name']],
  ['{"fields":{"name":true,"id":false}}', ['name']],
  ['{"fields":{"name":false}}', ['id', 'email']],
])('%s shows %j', (filter, expected) => {
  expect(shown(filter)).toEqual(expected);
});

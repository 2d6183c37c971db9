import { parseObject } from './json-object';

test.each([
  ['{"a":1,"b":{"c":[true,null,"x"]}}', { a: 1, b: { c: [true, null, 'x'] } }],
  ['{}', {}],
  [JSON.stringify('{"a":"1"}'), { a: '1' }],
  [
    '{"a":12345678901234567890,"b":[-0.1234567890123456789]}',
    { a: '12345678901234567890', b: ['-0.1234567890123456789'] },
  ],
  ['{"a":123456789012345,"b":1.5e3,"c":1e999}', { a: 123456789012345, b: 1500, c: '1e999' }],
  ['{"12345678901234567":"\\"12345678901234567\\\\"}', { '12345678901234567': '"12345678901234567\\' }],
])('%s', (text, object) => {
  expect(parseObject(text)).toEqual(object);
});

test.each(['', 'x', '1', '[]', 'null', '"x"', JSON.stringify(JSON.stringify('{}')), '{"a":1'])('%j is none', (text) => {
  expect(parseObject(text)).toBeUndefined();
});

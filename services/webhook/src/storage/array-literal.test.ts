import { plainArray, textArray } from './array-literal';

test('numbers and ids need no quotes; nothing is NULL', () => {
  expect(plainArray([1, null, 'a-b'])).toBe('{1,NULL,a-b}');
  expect(plainArray([])).toBe('{}');
});

test('texts are quoted, so that the word NULL is a word', () => {
  expect(textArray(['a,b', null, 'NULL', '{"x":"\\u00e7"}', ''])).toBe(
    String.raw`{"a,b",NULL,"NULL","{\"x\":\"\\u00e7\"}",""}`,
  );
});

import { findMismatch, readConstraint } from './constraint';
import { parseObject } from './json-object';
import type { JsonObject } from './json-object';

describe('shapes', () => {
  test.each<[string, JsonObject | undefined, JsonObject]>([
    ['absent', undefined, {}],
    ['empty', {}, {}],
    ['flat', { a: 1, b: 'x' }, { a: 1, b: 'x' }],
    ['nested', { metadata: { a: 1 } }, { a: 1 }],
    ['both', { b: 2, metadata: { a: 1 } }, { a: 1, b: 2 }],
    ['nested and empty', { metadata: {} }, {}],
    ['nested null', { metadata: null, a: 1 }, { a: 1 }],
    ['a pair that is called metadata', { metadata: 'x' }, { metadata: 'x' }],
  ])('%s', (_name, constraint, pairs) => {
    expect(readConstraint(constraint)).toEqual(pairs);
  });
});

describe('matching', () => {
  test.each<[JsonObject, JsonObject, boolean]>([
    [{}, {}, true],
    [{}, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: '1' }, true],
    [{ a: '1' }, { a: 1 }, true],
    [{ a: '1' }, { a: 2 }, false],
    [{ a: '1.0' }, { a: 1 }, true],
    [{ a: 1.5 }, { a: '1.50' }, true],
    [{ a: 7 }, { a: '007' }, false],
    [{ a: '1.0' }, { a: '1' }, false],
    [{ a: '' }, { a: 0 }, false],
    [{ a: 1 }, {}, false],
    [{ a: true }, { a: 'true' }, true],
    [{ a: null }, { a: null }, true],
    [{ a: null }, {}, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: { b: 1 } }, { a: { b: '1', c: 2 } }, true],
    [{ a: { b: 1 } }, { a: 1 }, false],
    [{ a: [1, 2] }, { a: ['1', 2] }, true],
    [{ a: [1] }, { a: [1, 2] }, false],
    [{ toString: 'x' }, {}, false],
  ])('%j against %j: %s', (pairs, metadata, matched) => {
    expect(findMismatch(pairs, metadata) === undefined).toBe(matched);
  });

  test('long ids are compared to the last digit', () => {
    const metadata = parseObject('{"id":12345678901234567891}')!;
    expect(findMismatch({ id: '12345678901234567891' }, metadata)).toBeUndefined();
    expect(findMismatch(parseObject('{"id":12345678901234567890}')!, metadata)?.explain()).toMatch(/has "id"/);
  });

  test('the reason names the key, the expected and the actual value', () => {
    expect(findMismatch({ a: 1 }, {})?.explain()).toBe(`The call's metadata has no "a"; the constraint asks for 1.`);
    expect(findMismatch({ a: 1 }, { a: 'x' })?.explain()).toBe(
      `The call's metadata has "a" "x"; the constraint asks for 1.`,
    );
  });
});

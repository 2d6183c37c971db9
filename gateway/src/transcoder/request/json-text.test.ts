import * as fc from 'fast-check';
import { findUnstorable, memberTexts } from './json-text';

describe('memberTexts', () => {
  it('keeps what JSON.parse would change', () => {
    const texts = memberTexts('  { "a" : 12345678901234567890 ,"b":{"2":1.0,"1":[ 1e2 ]}, "c":"x\\"}," , "d":true } ');
    expect(Object.fromEntries(texts)).toEqual({
      a: '12345678901234567890',
      b: '{"2":1.0,"1":[ 1e2 ]}',
      c: '"x\\"},"',
      d: 'true',
    });
  });

  it('takes the last of two members with one name, as JSON.parse does', () => {
    expect(memberTexts('{"a":1,"\\u0061":2}').get('a')).toBe('2');
  });

  it('agrees with JSON.parse on every object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const texts = memberTexts(text);
        expect([...texts.keys()].sort()).toEqual(Object.keys(parsed).sort());
        for (const [name, value] of texts) {
          expect(JSON.parse(value)).toEqual(parsed[name]);
        }
      }),
    );
  });

  it('walks over a nesting that would overflow a recursive reader', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(memberTexts(`{"a":${deep},"b":1}`).get('b')).toBe('1');
  });
});

describe('findUnstorable', () => {
  it.each([
    ['{"a":"\\u0000"}', /NUL/],
    ['{"\\u0000":1}', /NUL/],
    ['{"a":"\\ud800"}', /Unicode/],
    ['{"a":"\\udc00\\ud800"}', /Unicode/],
    ['{"a":1e99999}', /number/],
    ['{"a":-1E-99999}', /number/],
    [`{"a":${'9'.repeat(2000)}}`, /number/],
    ['[[[[[[]]]]]]', /nested/],
  ])('refuses %.40s', (text, reason) => {
    expect(findUnstorable(text, 5)).toMatch(reason);
  });

  it.each([
    '{"a":"\\\\u0000"}',
    '{"a":"\\ud83d\\ude00"}',
    '{"a":"é😀"}',
    '{"a":1e300,"b":[{}]}',
    '{}',
    '{"a":"1e99999"}',
  ])('accepts %s', (text) => {
    expect(findUnstorable(text, 5)).toBeUndefined();
  });

  it('is not slowed down by many strings', () => {
    // Processor time instead of elapsed time: the machine may be busy with other work.
    const before = process.cpuUsage();
    findUnstorable(`[${'"",'.repeat(200_000)}"\\u0041"]`, 5);
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});

import * as fc from 'fast-check';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';
import { fixtureRoots } from '../../../test/fixtures/roots';
import { parseBody } from '../../http/body';
import { loadContract } from '../../contract/contract';
import type { Rpc } from '../../contract/contract';
import { parseQuery, plainObject } from './input';
import { createReaderCompiler } from './message-reader';

const { rpcs } = loadContract(fixtureRoots);
const rpcNamed = (name: string): Rpc => rpcs.find(({ method }) => method === name)!;
const compile = createReaderCompiler();
const readTool = compile(rpcNamed('CreateTool').requestType);
const readList = compile(rpcNamed('ListTools').requestType);

function read(json: string): { message: Record<string, unknown>; violations: Violation[] } {
  const violations: Violation[] = [];
  const message = readTool(parseBody(json, 'application/json', 'tool'), violations);
  return { message, violations };
}

const timestamp = (text: string): object => ({ seconds: Date.parse(text) / 1000, nanos: 0 });

const codes = (json: string): Record<string, string> =>
  Object.fromEntries(read(json).violations.map(({ field, code }) => [field, code]));

describe('what a field accepts', () => {
  it.each([
    ['{"name":"x"}', { name: 'x' }],
    ['{"extension":5511999999999}', { extension: '5511999999999' }],
    ['{"extension":12345678901234567890}', { extension: '12345678901234567890' }],
    ['{"extension":1.50}', { extension: '1.50' }],
    ['{"title":"by alias"}', { name: 'by alias' }],
    ['{"name":null,"title":"by alias"}', { name: 'by alias' }],
    ['{"name":"","title":"by alias"}', { name: 'by alias' }],
    ['{"name":"","title":""}', { name: '' }],
    ['{"nickName":"n"}', { nick_name: 'n' }],
    ['{"nick_name":"n"}', { nick_name: 'n' }],
    ['{"name":null,"unknown":{"deep":[1]}}', {}],
    ['{"sharp":true}', { sharp: true }],
    ['{"sharp":"0"}', { sharp: false }],
    ['{"sharp":1}', { sharp: true }],
    ['{"colour":"DARK_BLUE"}', { colour: 2 }],
    ['{"colour":"red"}', { colour: 1 }],
    ['{"price":10.5}', { price: 105000 }],
    ['{"price":"0.1"}', { price: 1000 }],
    ['{"price":1e2}', { price: 1000000 }],
    ['{"serial":9007199254740991}', { serial: 9007199254740991 }],
    ['{"serial":"42"}', { serial: 42 }],
    ['{"serial":1e3,"grade":1.0}', { serial: 1000, grade: 1 }],
    ['{"weight":"1.25"}', { weight: 1.25 }],
    ['{"weight":-1}', { weight: -1 }],
    ['{"metadata":{"2":1.0,"1":12345678901234567890}}', { metadata: '{"2":1.0,"1":12345678901234567890}' }],
    ['{"metadata":null,"limits":null}', { limits: '{}' }],
    ['{"limits":{"a":1}}', { limits: '{"a":1}' }],
    ['{"metadata":"{\\"a\\": 1}"}', { metadata: '{"a": 1}' }],
    ['{"metadata":[]}', { metadata: '{}' }],
    ['{"metadata":"[]"}', { metadata: '{}' }],
    ['{"madeAt":"2025-01-02T03:04:05-03:00"}', { made_at: timestamp('2025-01-02T06:04:05.000Z') }],
    ['{"madeAt":"2025-01-02 03:04:05"}', { made_at: timestamp('2025-01-02T03:04:05.000Z') }],
    ['{"boughtOn":"2024-02-29"}', { bought_on: timestamp('2024-02-29T00:00:00.000Z') }],
    ['{"labels":["a","1"]}', { labels: ['a', '1'] }],
    ['{"counts":{"__proto__":1,"x":"2"}}', { counts: JSON.parse('{"__proto__":1,"x":2}') as object }],
    ['{"picture":"AQI="}', { picture: Buffer.from([1, 2]) }],
    ['{"parts":[{"name":"p","parts":[{"size":"3"}]}]}', { parts: [{ name: 'p', parts: [{ size: 3 }] }] }],
    ['{"__proto__":{"name":"polluted"},"constructor":1}', {}],
  ])('%s', (json, expected) => {
    const { message, violations } = read(json);
    expect(violations).toEqual([]);
    expect(message).toEqual(expected);
  });
});

describe('what a field refuses', () => {
  it.each([
    ['{"name":{}}', { name: 'type' }],
    ['{"name":[]}', { name: 'type' }],
    ['{"name":true}', { name: 'type' }],
    ['{"name":0}', { name: 'type' }],
    ['{"labels":["a",1]}', { 'labels[1]': 'type' }],
    ['{"name":"a\\u0000b"}', { name: 'format' }],
    ['{"name":"\\ud800"}', { name: 'format' }],
    ['{"sharp":2}', { sharp: 'type' }],
    ['{"sharp":"yes"}', { sharp: 'type' }],
    ['{"colour":"GREEN"}', { colour: 'inclusion' }],
    ['{"colour":"UNSPECIFIED"}', { colour: 'inclusion' }],
    ['{"colour":1}', { colour: 'inclusion' }],
    ['{"price":"ten"}', { price: 'type' }],
    ['{"price":0.00001}', { price: 'format' }],
    ['{"price":5.00000000000000000001}', { price: 'format' }],
    ['{"price":1e300}', { price: 'range' }],
    ['{"serial":9007199254740993}', { serial: 'range' }],
    ['{"serial":1.5}', { serial: 'type' }],
    ['{"serial":"NaN"}', { serial: 'type' }],
    ['{"serial":1.00000000000000000001}', { serial: 'type' }],
    ['{"serial":true}', { serial: 'type' }],
    ['{"grade":2147483648}', { grade: 'range' }],
    ['{"amount":-1}', { amount: 'range' }],
    ['{"weight":1e999}', { weight: 'range' }],
    ['{"weight":"Infinity"}', { weight: 'type' }],
    ['{"weight":""}', { weight: 'type' }],
    ['{"metadata":[1]}', { metadata: 'type' }],
    ['{"metadata":"[1]"}', { metadata: 'type' }],
    ['{"metadata":"{"}', { metadata: 'type' }],
    ['{"metadata":1}', { metadata: 'type' }],
    ['{"metadata":{"a":"\\u0000"}}', { metadata: 'format' }],
    [`{"metadata":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`, { metadata: 'format' }],
    ['{"madeAt":"yesterday"}', { madeAt: 'format' }],
    ['{"boughtOn":"2025-02-30"}', { boughtOn: 'format' }],
    ['{"labels":["a",{}]}', { 'labels[1]': 'type' }],
    ['{"counts":[]}', { counts: 'type' }],
    ['{"picture":"*"}', { picture: 'type' }],
    ['{"parts":[{"size":"x"}]}', { 'parts[0].size': 'type' }],
    ['{"parts":["x"]}', { 'parts[0]': 'type' }],
    ['{"name":{},"price":"x","colour":"?"}', { name: 'type', price: 'type', colour: 'inclusion' }],
  ])('%.60s', (json, expected) => {
    expect(codes(json)).toEqual(expected);
  });

  it('limits how deep a message may contain itself', () => {
    const depth = 5_000;
    const { violations } = read(`${'{"parts":['.repeat(depth)}{}${']}'.repeat(depth)}`);
    expect(violations).toEqual([expect.objectContaining({ code: 'format' })]);
  });
});

describe('page and filter', () => {
  const readQuery = (query: string): Record<string, unknown> => readList(plainObject(parseQuery(query)), []);

  it('reads pages', () => {
    expect(readQuery('page=3')).toEqual({ page: 3 });
    expect(readQuery('')).toEqual({});
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e3', '99999999999', '%201', 'NaN', '1&page=2', '0x1'])(
    'refuses page=%s',
    (page) => {
      expect(() => readQuery(`page=${page}`)).toThrow(expect.objectContaining({ code: 'INVALID_PAGE' }) as Error);
    },
  );

  it('passes the text of a filter on unchanged', () => {
    const filter = '{"where":{"n":12345678901234567890},  "limit":1.0}';
    expect(readQuery(`filter=${encodeURIComponent(filter)}`)).toEqual({ filter });
    expect(readQuery('filter=')).toEqual({ filter: undefined });
  });

  it('turns the bracket form into JSON', () => {
    const { filter } = readQuery(
      'filter[where][and][0][name][like]=x%25&filter[limit]=5&filter[where][__proto__][x]=1',
    );
    expect(JSON.parse(filter as string)).toEqual({
      where: { and: [{ name: { like: 'x%' } }] },
      limit: '5',
    });
  });

  it.each([
    '{',
    '[]',
    '1',
    'null',
    '"x"',
    '{"a":"\\u0000"}',
    `${'{"and":'.repeat(100)}1${'}'.repeat(100)}`,
    'a&filter=b',
  ])('refuses filter=%.30s', (filter) => {
    const text = filter.includes('&') ? `filter=${filter}` : `filter=${encodeURIComponent(filter)}`;
    expect(() => readQuery(text)).toThrow(expect.objectContaining({ code: 'INVALID_FILTER' }) as Error);
  });

  it('leaves out zeros that mean "not given", so that equal requests have equal bytes', () => {
    expect(read('{"parts":[{"name":"","size":0}],"sharp":false}').message).toEqual({
      parts: [{ size: 0 }],
      sharp: false,
    });
  });

  it('reads one or many of a repeated parameter', () => {
    expect(readQuery('labels=a')).toEqual({ labels: ['a'] });
    expect(readQuery('labels=a&labels=b')).toEqual({ labels: ['a', 'b'] });
  });
});

describe('arbitrary input', () => {
  const names = [
    'name',
    'colour',
    'sharp',
    'price',
    'madeAt',
    'boughtOn',
    'metadata',
    'parts',
    'counts',
    'picture',
    'weight',
    'serial',
    'labels',
    '__proto__',
  ];

  it('is either read or refused by a typed error', () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(
        bodies,
        fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded'),
        (text, type) => {
          try {
            readTool(parseBody(text, type, 'tool'), []);
          } catch (error) {
            expect(error).toBeInstanceOf(ServiceError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('in a query is either read or refused by a typed error', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('', 'page=', 'filter=', 'filter[', 'labels[]='), (text, start) => {
        try {
          readList(plainObject(parseQuery(start + text)), []);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

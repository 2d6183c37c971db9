import * as fc from 'fast-check';
import { Reader, Writer } from 'protobufjs';
import type { FieldContract } from '../../contract/field-contract';
import { MONEY_PLACES, parseDecimal, toScaledInteger } from '../request/decimal';
import { valueWriter } from './value-writer';

const writer = (field: Partial<FieldContract>) => valueWriter(field as FieldContract);
/** As protobufjs decodes 64 bits. */
const long = (value: number): unknown => Reader.create(new Writer().int64(value).finish()).int64();
const string = writer({ kind: 'string' });
const integer = writer({ kind: 'integer' });
const money = writer({ kind: 'integer', format: 'MONEY' });
const time = writer({ kind: 'timestamp' });
const date = writer({ kind: 'timestamp', format: 'DATE' });

describe('a value as JSON', () => {
  it('is for strings the text of JSON.stringify', () => {
    const check = (text: string): void => expect(string(text)).toBe(JSON.stringify(text));
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), check));
    fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), check));
    check(Array.from({ length: 0x800 }, (_, code) => String.fromCharCode(code)).join(''));
    check('\u2028\ud83d\ude00'.repeat(10_000));
  });

  it('is exact for integers, of 32 bits and of 64', () => {
    const check = (value: number): void => {
      expect(integer(value)).toBe(String(value));
      expect(integer(long(value))).toBe(String(value === 0 ? 0 : value));
    };
    fc.assert(fc.property(fc.maxSafeInteger(), check));
    fc.assert(fc.property(fc.integer(), check));
    for (let power = 1; power < 1e16; power *= 10) [power - 1, power, -power].forEach(check);
  });

  it('is never an integer that JSON cannot carry', () => {
    for (const value of [2 ** 53, -(2 ** 53), long(2 ** 53), long(-(2 ** 60))]) {
      expect(() => integer(value)).toThrow(RangeError);
      expect(() => money(value)).toThrow(RangeError);
    }
  });

  it('gives every amount back as it was written', () => {
    const check = (value: number): void =>
      expect(toScaledInteger(parseDecimal(money(value))!, MONEY_PLACES)).toEqual({ value: value === 0 ? 0 : value });
    fc.assert(fc.property(fc.maxSafeInteger(), check));
    for (const edge of [1e15, 9e15, Number.MAX_SAFE_INTEGER]) {
      fc.assert(fc.property(fc.integer({ min: edge - 20_000, max: edge }), check));
      fc.assert(fc.property(fc.integer({ min: -edge, max: 20_000 - edge }), check));
    }
  });

  it('is for amounts the shortest decimal, which JSON.parse reads as the nearest number', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(JSON.parse(money(value))).toBe(value / 10 ** MONEY_PLACES);
      }),
    );
    expect([0, 5, -5, 1000, 123400, 120000, -10001, 1e15, -9e15 - 10].map(money)).toEqual(
      '0 0.0005 -0.0005 0.1 12.34 12 -1.0001 100000000000 -900000000000.001'.split(' '),
    );
  });

  it('is null for a time that no Date can hold', () => {
    const at = (seconds: number, nanos = 0): unknown => ({ seconds: long(seconds), nanos });
    expect([time(at(8.64e12)), date(at(8.64e12 - 1))]).toEqual(['"+275760-09-13T00:00:00.000Z"', '"+275760-09-12"']);
    expect([time(at(8.64e12, 1_000_000)), time(at(8.64e12 + 1)), date(at(8.64e12 + 1))]).toEqual(Array(3).fill('null'));
    expect(time(at(1, 999_999_999))).toBe('"1970-01-01T00:00:01.999Z"');
    expect(time(at(-1, 1_000_000))).toBe('"1969-12-31T23:59:59.001Z"');
    expect(time(at(1_763_500_000, 999_999_999))).toBe('"2025-11-18T21:06:40.999Z"');
  });
});

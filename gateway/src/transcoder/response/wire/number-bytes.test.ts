import * as fc from 'fast-check';
import { Reader, Writer } from 'protobufjs';
import type { FieldContract, FieldKind, Format } from '../../../contract/field-contract';
import { JsonSink } from './json-sink';
import { numberWriter } from './number-bytes';

/** What is written of the bytes; undefined: they are left to others. */
function written(kind: FieldKind, bytes: Uint8Array, scalar = 'int64', format?: Format): string | undefined {
  const sink = new JsonSink();
  sink.clear();
  const write = numberWriter({ kind, scalar, format } as FieldContract)!;
  return write(sink, Reader.create(Buffer.from(bytes))) ? sink.take().toString() : undefined;
}

const integer = (value: number): Uint8Array => Writer.create().int64(value).finish();

const time = (seconds: number, nanos: number): Uint8Array =>
  Writer.create().fork().uint32(8).int64(seconds).uint32(16).int32(nanos).ldelim().finish();

const LARGEST = 2 ** 31 - 1;
const edges = [0, 1, 9, 10, 99, 100, 9_999, 10_000, 10_001, 12_300, 99_999, 1_000_000_000, LARGEST];

describe('digits from the bytes of a message', () => {
  it('are those of whole numbers', () => {
    const check = (value: number): void => expect(written('integer', integer(value))).toBe(String(value));
    edges.forEach(check);
    fc.assert(fc.property(fc.nat(LARGEST), check));
  });

  it('are those of amounts, without zeros at the end', () => {
    const check = (value: number): void =>
      expect(written('integer', integer(value), 'int64', 'MONEY')).toBe(String(value / 10_000));
    edges.forEach(check);
    fc.assert(fc.property(fc.nat(LARGEST), check));
  });

  it('are those of times, of whatever day', () => {
    const check = (ms: number): void => {
      const text = `"${new Date(ms).toISOString()}"`;
      const seconds = Math.floor(ms / 1000);
      expect(written('timestamp', time(seconds, (ms - seconds * 1000) * 1_000_000))).toBe(text);
    };
    const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
    [0, 1, 999, 86_399_999, 86_400_000, last].forEach(check);
    fc.assert(fc.property(fc.nat(last), check), { numRuns: 2_000 });
    expect(written('timestamp', time(1, 999_999_999))).toBe('"1970-01-01T00:00:01.999Z"');
    expect(written('timestamp', Buffer.from([0]))).toBe('"1970-01-01T00:00:00.000Z"');
    const nanosAlone = Writer.create().fork().uint32(16).int32(7_000_000).ldelim().finish();
    expect(written('timestamp', nanosAlone)).toBe('"1970-01-01T00:00:00.007Z"');
  });

  it('are left to others where a number is negative, very large or cut short', () => {
    const given = [-1, LARGEST + 1, Number.MAX_SAFE_INTEGER];
    for (const value of given) expect(written('integer', integer(value))).toBeUndefined();
    for (const value of given) expect(written('integer', integer(value), 'int64', 'MONEY')).toBeUndefined();
    for (const seconds of [-1, Date.UTC(10_000, 0) / 1000]) {
      expect(written('timestamp', time(seconds, 0))).toBeUndefined();
    }
    expect(written('timestamp', time(1, 1_000_000_000))).toBeUndefined();
    expect(written('integer', Buffer.from([0x80]))).toBeUndefined();
    const whole = time(1_763_500_000, 5_000_000);
    for (let length = 0; length < whole.length; length += 1) {
      expect(written('timestamp', whole.subarray(0, length))).toBeUndefined();
    }
    // A field that a time does not have.
    expect(written('timestamp', Buffer.from([2, 0x18, 1]))).toBeUndefined();
  });

  it('are left to others where numbers are written otherwise on the wire, and for days', () => {
    const of = (contract: Partial<FieldContract>) => numberWriter(contract as FieldContract);
    expect(of({ kind: 'integer', scalar: 'sint64' })).toBeUndefined();
    expect(of({ kind: 'integer', scalar: 'fixed32' })).toBeUndefined();
    expect(of({ kind: 'timestamp', format: 'DATE' })).toBeUndefined();
    expect(of({ kind: 'string', scalar: 'string' })).toBeUndefined();
  });
});

import * as fc from 'fast-check';
import { Call } from '@sabia/protos/sabia/telephony/v1/messages';
import { ListCallsResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { BinaryRow } from './binary-rows';
import { MessageRows, readInteger } from './message-rows';
import type { MessageColumn } from './message-rows';

/** A row as PostgreSQL sends it, somewhere inside a larger buffer. */
function rowOf(values: (Buffer | null)[]): BinaryRow {
  const parts = values.map((value) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : value.length);
    return Buffer.concat([length, value ?? Buffer.alloc(0)]);
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  const row = new BinaryRow();
  row.open(Buffer.concat([Buffer.from('before'), count, ...parts, Buffer.from('after')]), 6);
  return row;
}

const int4 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int8 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const microseconds = (date: Date): Buffer => int8((date.getTime() - Date.UTC(2000, 0, 1)) * 1000);
const uuid = (text: string): Buffer => Buffer.from(text.replaceAll('-', ''), 'hex');

/** The binary form of a numeric: digits of the base 10000, without zeros at either end. */
function numeric(tenThousandths: number): Buffer {
  const digits: number[] = [];
  for (let rest = Math.abs(tenThousandths); rest > 0; rest = Math.floor(rest / 10_000)) digits.unshift(rest % 10_000);
  let weight = digits.length - 2;
  while (digits.at(-1) === 0) digits.pop();
  if (digits.length === 0) weight = 0;
  const sign = tenThousandths < 0 ? 0x4000 : 0;
  const bytes = Buffer.alloc(8 + digits.length * 2);
  [digits.length, weight & 0xffff, sign, 4, ...digits].forEach((value, index) => bytes.writeUInt16BE(value, index * 2));
  return bytes;
}

const columns: MessageColumn[] = [
  { type: 'uuid', field: 1 },
  { type: 'timestamp', field: 4 },
  { type: 'integer', field: 8 },
  { type: 'text', field: 12 },
  { type: 'text', field: 14 },
  { type: 'decimal', field: 16 },
  { type: 'text', field: 17 },
  { type: 'integer', field: 19 },
];

const call = fc.record({
  id: fc.uuid(),
  started_at: fc.date({ min: new Date('1900-01-01'), max: new Date('2250-12-31'), noInvalidDate: true }),
  duration: fc.integer(),
  first_name: fc.string({ unit: 'grapheme', maxLength: 100 }),
  BINA: fc.option(fc.string({ maxLength: 40 }), { nil: undefined }),
  call_price: fc.option(fc.maxSafeInteger(), { nil: undefined }),
  metadata: fc.oneof(
    fc.json(),
    fc.constantFrom(100, 130, 16_000, 16_300, 2_100_000).map((size) => 'm'.repeat(size)),
  ),
  billed_seconds: fc.option(fc.maxSafeInteger(), { nil: undefined }),
});

it('makes of rows what the generated code reads as the same messages', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
      const rows = new MessageRows(1, columns);
      for (const { id, started_at, duration, first_name, BINA, call_price, metadata, billed_seconds } of calls) {
        const row = rowOf([
          uuid(id),
          microseconds(started_at),
          int4(duration),
          Buffer.from(first_name),
          BINA === undefined ? null : Buffer.from(BINA),
          call_price === undefined ? null : numeric(call_price),
          Buffer.from(metadata),
          billed_seconds === undefined ? null : int8(billed_seconds),
          int8(77),
        ]);
        rows.add(row);
        expect(row.next() && readInteger(row)).toBe(77);
      }
      const meta = ListCallsResponse.fromPartial({ meta: { totalItemCount: 5 } }).meta;
      const expected = calls.map((item) => Call.fromPartial(item));
      const bytes = rows.finish(2, Buffer.from([8, 5]));
      expect(ListCallsResponse.decode(bytes)).toEqual({ data: expected, meta });
    }),
    { numRuns: 60 },
  );
});

it('keeps to the millisecond, downwards, as everybody else does', () => {
  const rows = new MessageRows(1, [{ type: 'timestamp', field: 4 }]);
  rows.add(rowOf([int8(1_999_999)]));
  rows.add(rowOf([int8(-1)]));
  expect(ListCallsResponse.decode(rows.finish(2, Buffer.alloc(0))).data.map((item) => item.started_at)).toEqual([
    new Date('2000-01-01T00:00:01.999Z'),
    new Date('1999-12-31T23:59:59.999Z'),
  ]);
});

it('refuses what it cannot tell exactly', () => {
  const decimal = (bytes: Buffer) => () => new MessageRows(1, [{ type: 'decimal', field: 16 }]).add(rowOf([bytes]));
  expect(decimal(Buffer.from('0000000000c00000', 'hex').subarray(1))).toThrow(RangeError);
  expect(decimal(Buffer.from('0002fffe0000000800010001', 'hex'))).toThrow(/four decimals/);
  const large = int8(0);
  large.writeBigInt64BE(2n ** 60n);
  expect(() => new MessageRows(1, [{ type: 'integer', field: 8 }]).add(rowOf([large]))).toThrow(RangeError);
});

it('leaves lists apart that are written at the same time, and those that are finished as they are', () => {
  const text: MessageColumn[] = [{ type: 'text', field: 12 }];
  const nameOf = (bytes: Buffer): string => ListCallsResponse.decode(bytes).data[0]!.first_name;
  const finish = (rows: MessageRows): Buffer => rows.finish(2, Buffer.alloc(0));
  const finished: Buffer[] = [];
  for (let round = 0; round < 40; round += 1) {
    const [one, two] = [new MessageRows(1, text), new MessageRows(1, text)];
    one.add(rowOf([Buffer.from(`one ${round}`)]));
    two.add(rowOf([Buffer.from(`two ${round}`)]));
    finished.push(finish(one), finish(two));
  }
  expect(finished.map(nameOf)).toEqual(finished.map((_, index) => `${index % 2 ? 'two' : 'one'} ${index >> 1}`));
});

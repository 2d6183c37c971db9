import * as fc from 'fast-check';
import { Writer } from 'protobufjs';
import { WireReader } from './wire-reader';

const reader = new WireReader();

function open(write: (writer: Writer) => Writer): WireReader {
  reader.bytes = Buffer.from(write(new Writer()).finish());
  reader.position = 0;
  return reader;
}

function endless(): WireReader {
  reader.bytes = Buffer.alloc(11, 0xff);
  reader.position = 0;
  return reader;
}

const isSpent = (): boolean => reader.position === reader.bytes.length;

describe('reading the wire', () => {
  it('reads every integer, and passes over it', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer(), fc.nat(), (long, int, nat) => {
        expect(open((to) => to.int64(long)).int64()).toBe(long);
        expect(isSpent()).toBe(true);
        expect(open((to) => to.uint64(Math.abs(long))).uint64()).toBe(Math.abs(long));
        expect(open((to) => to.int32(int)).varint() | 0).toBe(int);
        expect(isSpent()).toBe(true);
        expect(open((to) => to.uint32(nat)).varint()).toBe(nat);
        open((to) => to.int64(long)).skip(0);
        expect(isSpent()).toBe(true);
      }),
    );
    expect(open((to) => to.uint32(0xffffffff)).varint()).toBe(0xffffffff);
  });

  it('throws at what JSON could not carry, and at bytes that are no message', () => {
    expect(() => open((to) => to.int64(2 ** 53)).int64()).toThrow(RangeError);
    expect(() => open((to) => to.uint64({ low: -1, high: -1, unsigned: true })).uint64()).toThrow(RangeError);
    expect(() => open((to) => to.uint32(5)).skip(2)).toThrow(/too early/);
    expect(() => endless().skip(0)).toThrow(/without an end/);
    expect(() => endless().varint()).toThrow(/without an end/);
    expect(() => open((to) => to).skip(3)).toThrow(/wire type 3/);
  });
});

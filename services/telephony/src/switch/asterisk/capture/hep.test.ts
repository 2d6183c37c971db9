import fc from 'fast-check';
import { readHep } from './hep';
import { outlineOf } from './sip-outline';

const chunk = (type: number, value: Buffer, vendor = 0): Buffer => {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(vendor, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(value.length + 6, 4);
  return Buffer.concat([head, value]);
};
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const packet = (...chunks: Buffer[]): Buffer => {
  const body = Buffer.concat(chunks);
  const head = Buffer.from('HEP3\0\0', 'latin1');
  head.writeUInt16BE(body.length + 6, 4);
  return Buffer.concat([head, body]);
};
const whole = [
  chunk(1, Buffer.from([2])),
  chunk(9, number(1_700_000_000)),
  chunk(10, number(123_456)),
  chunk(11, Buffer.from([1])),
  // Of another vendor: it means something else.
  chunk(9, number(1), 3),
  chunk(15, Buffer.from('INVITE')),
];

test('the time and the SIP message of a packet', () => {
  const read = readHep(packet(...whole));
  expect(read).toEqual({ at: 1_700_000_000_123, payload: Buffer.from('INVITE') });
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['another protocol', Buffer.from('HEP2\0\x06', 'latin1')],
  ['no chunk', packet()],
  ['no time', packet(...whole.slice(2))],
  ['RTCP', packet(...whole.slice(0, 3), chunk(11, Buffer.from([5])), whole[5]!)],
  ['a packet that was cut', packet(...whole).subarray(0, 40)],
  ['a chunk of no length', packet(...whole, Buffer.alloc(6))],
  ['a chunk beyond the end', packet(...whole, Buffer.from([0, 0, 0, 15, 255, 255]))],
])('is not read: %s', (_name, bytes) => {
  expect(readHep(bytes)).toBeUndefined();
});

test('garbage is never more than that', () => {
  const garbage = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
  const started = fc
    .tuple(fc.constantFrom('SIP/2.0 200 OK\r\n', 'INVITE sip:1 SIP/2.0\r\n', 'REGISTER'), garbage)
    .map(([start, bytes]) => Buffer.concat([Buffer.from(start), bytes]));
  const bent = fc.tuple(fc.nat(packet(...whole).length - 1), fc.nat(255)).map(([place, byte]) => {
    const bytes = packet(...whole);
    bytes[place] = byte;
    return bytes;
  });
  fc.assert(
    fc.property(fc.oneof(garbage, started, bent), (bytes) => {
      const read = readHep(bytes);
      expect(read === undefined || Number.isFinite(read.at)).toBe(true);
      outlineOf(bytes);
      outlineOf(read?.payload ?? bytes);
    }),
    { numRuns: 2_000 },
  );
});

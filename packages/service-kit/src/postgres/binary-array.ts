/**
 * Arrays for parameters as PostgreSQL keeps them. The driver writes them as text: for many rows at once, the quoting here and the
 * reading there cost more than the rest of the statement. The cast in the statement must name the same type.
 */

const oids = { text: 25, json: 114, bigint: 20, timestamptz: 1184, uuid: 2950 };
const headerBytes = 20;
const lengthBytes = 4;
const nothing = -1;

/** `$1::text[]` */
export const textArray = (values: readonly (string | null)[]): Buffer => writeTexts(oids.text, values);

/** `$1::json[]`, of texts that are JSON. */
export const jsonArray = (values: readonly (string | null)[]): Buffer => writeTexts(oids.json, values);

/** `$1::uuid[]` */
export function uuidArray(values: readonly string[]): Buffer {
  const size = 16;
  const buffer = begin(oids.uuid, values.length, values.length * size);
  let position = headerBytes;
  for (const value of values) {
    position = buffer.writeInt32BE(size, position);
    writeUuid(buffer, position, value);
    position += size;
  }
  return buffer;
}

/** `$1::bigint[]` */
export const bigintArray = (values: readonly (number | null)[]): Buffer => writeIntegers(oids.bigint, values);

const microseconds = 1_000;
/** PostgreSQL counts from the year 2000. */
const epochMs = Date.UTC(2000, 0, 1);

/** `$1::timestamptz[]` */
export const timeArray = (values: readonly (Date | null)[]): Buffer =>
  writeIntegers(
    oids.timestamptz,
    values.map((value) => (value === null ? null : (value.getTime() - epochMs) * microseconds)),
  );

function begin(oid: number, count: number, elementBytes: number): Buffer {
  if (count === 0) {
    // No dimension at all.
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(oid, 8);
    return empty;
  }
  const buffer = Buffer.allocUnsafe(headerBytes + count * lengthBytes + elementBytes);
  buffer.writeInt32BE(1, 0);
  // Whether there may be nulls.
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(count, 12);
  // Where its indexes begin.
  buffer.writeInt32BE(1, 16);
  return buffer;
}

function writeTexts(oid: number, values: readonly (string | null)[]): Buffer {
  let bytes = 0;
  const lengths = values.map((value) => {
    const length = value === null ? nothing : Buffer.byteLength(value);
    bytes += Math.max(length, 0);
    return length;
  });
  const buffer = begin(oid, values.length, bytes);
  let position = headerBytes;
  values.forEach((value, nth) => {
    position = buffer.writeInt32BE(lengths[nth]!, position);
    if (value !== null) {
      position += buffer.write(value, position);
    }
  });
  return buffer;
}

function writeIntegers(oid: number, values: readonly (number | null)[]): Buffer {
  const size = 8;
  const present = values.reduce<number>((count, value) => count + (value === null ? 0 : 1), 0);
  const buffer = begin(oid, values.length, present * size);
  let position = headerBytes;
  for (const value of values) {
    position = buffer.writeInt32BE(value === null ? nothing : size, position);
    if (value !== null) {
      position = buffer.writeBigInt64BE(BigInt(value), position);
    }
  }
  return buffer;
}

const dash = 45;

function writeUuid(buffer: Buffer, start: number, uuid: string): void {
  let position = start;
  for (let at = 0; at + 1 < uuid.length && position < start + 16; at += 2) {
    if (uuid.charCodeAt(at) === dash) {
      at += 1;
    }
    buffer[position] = (nibble(uuid.charCodeAt(at)) << 4) | nibble(uuid.charCodeAt(at + 1));
    position += 1;
  }
  if (position !== start + 16) {
    throw new TypeError('not a uuid');
  }
}

/** Of a hexadecimal digit, either case. */
function nibble(code: number): number {
  const value = code <= 57 ? code - 48 : (code | 32) - 87;
  if (!(value >= 0 && value <= 15)) {
    throw new TypeError('not a uuid');
  }
  return value;
}

import type { BinaryRow } from './binary-rows';

/** The type of a column and of the protobuf field it becomes. A null is not written. */
export type ColumnType =
  /** text, json: string */
  | 'text'
  /** string */
  | 'uuid'
  /** int64, or any other varint */
  | 'integer'
  /** timestamptz: google.protobuf.Timestamp, to the millisecond */
  | 'timestamp'
  /** numeric of at most four decimals: int64 of 1/10000 */
  | 'decimal';

export interface MessageColumn {
  type: ColumnType;
  /** Number of the field. */
  field: number;
}

const VARINT = 0;
const DELIMITED = 2;
const FIRST_CAPACITY = 32 * 1024;
/** Buffers are reused: allocating one for each list keeps the garbage collector busy. */
const spare: Buffer[] = [];
const MOST_SPARE = 16;
const LARGEST_SPARE = 256 * 1024;
/** Seconds from 1970 to 2000. */
const EPOCH_SECONDS = 946_684_800;
const TWO_TO_32 = 4_294_967_296;
const DASH = 0x2d;
const UUID_TEXT_LENGTH = 36;
/** Up to here a loop is faster than a call into the engine. */
const SHORT = 64;
const nothing = Buffer.alloc(0);
const hexDigits = Buffer.from('0123456789abcdef');

/** Rows of a binary query as a repeated field of a message: from PostgreSQL's wire to that of gRPC, without a message in between. */
export class MessageRows {
  /** A buffer is taken for the first row: lists that wait for PostgreSQL need none. */
  #bytes: Buffer = nothing;
  #length = 0;
  readonly #field: number;
  readonly #columns: readonly MessageColumn[];

  constructor(field: number, columns: readonly MessageColumn[]) {
    this.#field = field;
    this.#columns = columns;
  }

  /** The columns that come next in the row make one message. */
  add(row: BinaryRow): void {
    this.#reserve(10);
    this.#tag(this.#field, DELIMITED);
    const start = this.#length;
    // Nearly every row needs two bytes for its length.
    this.#length += 2;
    for (const column of this.#columns) {
      if (row.next()) {
        this.#value(column, row);
      }
    }
    this.#setLength(start);
  }

  /** The whole message: what was added, and one more field of it. Nothing can be added any more. */
  finish(field: number, message: Uint8Array): Buffer {
    this.#reserve(message.length + 20);
    this.#tag(field, DELIMITED);
    this.#varint(message.length);
    this.#bytes.set(message, this.#length);
    const whole = Buffer.from(this.#bytes.subarray(0, this.#length + message.length));
    if (spare.length < MOST_SPARE && this.#bytes.length <= LARGEST_SPARE) {
      spare.push(this.#bytes);
    }
    this.#bytes = nothing;
    this.#length = 0;
    return whole;
  }

  #value({ type, field }: MessageColumn, row: BinaryRow): void {
    this.#reserve(row.length + 64);
    switch (type) {
      case 'text':
        this.#tag(field, DELIMITED);
        this.#varint(row.length);
        this.#copy(row);
        break;
      case 'uuid':
        this.#tag(field, DELIMITED);
        this.#varint(UUID_TEXT_LENGTH);
        this.#uuid(row);
        break;
      case 'integer':
        this.#tag(field, VARINT);
        this.#varint(readInteger(row));
        break;
      case 'timestamp':
        this.#tag(field, DELIMITED);
        this.#timestamp(row);
        break;
      case 'decimal':
        this.#tag(field, VARINT);
        this.#varint(readTenThousandths(row));
        break;
    }
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    if (value < 0) {
      this.#negative(value);
      return;
    }
    const bytes = this.#bytes;
    let rest = value;
    while (rest >= TWO_TO_32) {
      bytes[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[this.#length++] = rest;
  }

  /** Two's complement of 64 bits: always ten bytes. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #copy({ bytes, position, length }: BinaryRow): void {
    const to = this.#bytes;
    let at = this.#length;
    if (length <= SHORT) {
      for (let index = position; index < position + length; index += 1) {
        to[at++] = bytes[index]!;
      }
    } else {
      bytes.copy(to, at, position, position + length);
      at += length;
    }
    this.#length = at;
  }

  #uuid({ bytes, position }: BinaryRow): void {
    const to = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < 16; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) {
        to[at++] = DASH;
      }
      const byte = bytes[position + index]!;
      to[at++] = hexDigits[byte >> 4]!;
      to[at++] = hexDigits[byte & 15]!;
    }
    this.#length = at;
  }

  /** Whole microseconds since 2000. */
  #timestamp(row: BinaryRow): void {
    const ms = Math.floor(readInt64(row) / 1000);
    const whole = Math.floor(ms / 1000);
    const start = this.#length;
    this.#length += 1;
    const seconds = whole + EPOCH_SECONDS;
    if (seconds !== 0) {
      this.#tag(1, VARINT);
      this.#varint(seconds);
    }
    if (ms !== whole * 1000) {
      this.#tag(2, VARINT);
      this.#varint((ms - whole * 1000) * 1_000_000);
    }
    this.#bytes[start] = this.#length - start - 1;
  }

  /** Writes the length into the two bytes that were reserved for it. */
  #setLength(start: number): void {
    const length = this.#length - start - 2;
    const size = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x200000 ? 3 : 4;
    if (size !== 2) {
      this.#reserve(2);
      this.#bytes.copyWithin(start + size, start + 2, this.#length);
    }
    this.#length = start;
    this.#varint(length);
    this.#length = start + size + length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed > this.#bytes.length) {
      this.#makeRoom(needed);
    }
  }

  #makeRoom(needed: number): void {
    if (this.#bytes === nothing) {
      this.#bytes = spare.pop() ?? Buffer.allocUnsafeSlow(FIRST_CAPACITY);
    }
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
  }
}

export function readInteger(row: BinaryRow): number {
  const { bytes, position, length } = row;
  if (length === 8) {
    return readInt64(row);
  }
  return length === 4 ? bytes.readInt32BE(position) : bytes.readInt16BE(position);
}

function readInt64({ bytes, position }: BinaryRow): number {
  const value = bytes.readInt32BE(position) * TWO_TO_32 + bytes.readUInt32BE(position + 4);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`int8 ${value} does not fit a JavaScript number`);
  }
  return value;
}

/** A numeric consists of base-10000 digits, so the unit of 1/10000 needs no conversion. */
function readTenThousandths({ bytes, position }: BinaryRow): number {
  const count = bytes.readInt16BE(position);
  const weight = bytes.readInt16BE(position + 2);
  const sign = bytes.readUInt16BE(position + 4);
  let value = 0;
  for (let index = 0; index < Math.max(count, weight + 2); index += 1) {
    const digit = index < count ? bytes.readInt16BE(position + 8 + index * 2) : 0;
    if (index <= weight + 1) {
      value = value * 10_000 + digit;
    } else if (digit !== 0) {
      throw new RangeError('a numeric has more than four decimals');
    }
  }
  if (sign === 0xc000 || !Number.isSafeInteger(value)) {
    throw new RangeError('a numeric is no number that can be told in 1/10000');
  }
  return sign === 0 || value === 0 ? value : -value;
}

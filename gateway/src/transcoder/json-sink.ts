import { formatIso } from './iso-bytes';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const MINUS = 0x2d;
const ZERO = 0x30;

const FIRST_CAPACITY = 64 * 1024;
/** What one enormous answer took is given back. */
const LARGEST_KEPT = 1024 * 1024;
/** Up to here a loop is faster than a call into the engine. */
const SHORT = 64;
/** Node sends headers and a short text in one piece; of a long one it would make bytes again. */
const LONGEST_TEXT = 4096;
/** A control character becomes \u001f. */
const LONGEST_ESCAPE = 6;

/** Of a Date. */
const LARGEST_TIME_MS = 8.64e15;

const nullBytes = Buffer.from('null');
const hex = Buffer.from('0123456789abcdef');
/** \b \t \n \f \r */
const shortEscapes = new Map([
  [0x08, 0x62],
  [0x09, 0x74],
  [0x0a, 0x6e],
  [0x0c, 0x66],
  [0x0d, 0x72],
]);

/** JSON, written as bytes: what comes as UTF-8 goes out as UTF-8, and never becomes a string in between. */
export class JsonSink {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > LARGEST_KEPT) {
      this.#bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
    }
  }

  /** A copy of all that was written. */
  take(): string | Buffer {
    return this.#length <= LONGEST_TEXT
      ? this.#bytes.toString('utf8', 0, this.#length)
      : Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Instead of what stands there. */
  replace(position: number, value: number): void {
    this.#bytes[position] = value;
  }

  /** Takes back what was written beyond. */
  cut(length: number): void {
    this.#length = length;
  }

  null(): void {
    this.raw(nullBytes, 0, 4);
  }

  text(text: string): void {
    const bytes = Buffer.from(text);
    this.raw(bytes, 0, bytes.length);
  }

  /** Bytes that are JSON already. */
  raw(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    let length = this.#length;
    const bytes = this.#bytes;
    if (to - from <= SHORT) {
      for (let index = from; index < to; index += 1) {
        bytes[length++] = source[index]!;
      }
    } else {
      source.copy(bytes, length, from, to);
      length += to - from;
    }
    this.#length = length;
  }

  /** UTF-8, quoted and escaped as JSON.stringify does it. */
  string(source: Buffer, from: number, to: number): void {
    this.#reserve((to - from) * LONGEST_ESCAPE + 2);
    const bytes = this.#bytes;
    let length = this.#length;
    bytes[length++] = QUOTE;
    for (let index = from; index < to; index += 1) {
      const byte = source[index]!;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) {
        length = escape(bytes, length, byte);
      } else {
        bytes[length++] = byte;
      }
    }
    bytes[length++] = QUOTE;
    this.#length = length;
  }

  /** A safe integer. */
  integer(value: number): void {
    if (value < 0) {
      this.byte(MINUS);
    }
    this.#digits(Math.abs(value));
  }

  /** An integer of 1/10000, as the shortest decimal: 123400 is 12.34. */
  tenThousandths(value: number): void {
    if (value < 0) {
      this.byte(MINUS);
    }
    const magnitude = Math.abs(value);
    let rest = magnitude % 10_000;
    this.#digits((magnitude - rest) / 10_000);
    if (rest > 0) {
      this.byte(DOT);
      for (let unit = 1000; rest > 0; unit /= 10) {
        const digit = Math.floor(rest / unit);
        this.byte(ZERO + digit);
        rest -= digit * unit;
      }
    }
  }

  /** Quoted, in milliseconds since 1970; null for what is no time. */
  time(ms: number): void {
    if (!(Math.abs(ms) <= LARGEST_TIME_MS)) {
      this.null();
      return;
    }
    this.#reserve(32);
    this.#bytes[this.#length++] = QUOTE;
    this.#length = formatIso(this.#bytes, this.#length, Math.trunc(ms));
    this.#bytes[this.#length++] = QUOTE;
  }

  #digits(magnitude: number): void {
    if (magnitude >= 1_000_000_000) {
      this.text(String(magnitude));
      return;
    }
    this.#reserve(9);
    let end = this.#length + 1;
    for (let ten = 10; ten <= magnitude; ten *= 10) {
      end += 1;
    }
    let rest = magnitude;
    for (let position = end - 1; position >= this.#length; position -= 1) {
      const next = (rest / 10) | 0;
      this.#bytes[position] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.#length = end;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
  }
}

function escape(bytes: Buffer, position: number, byte: number): number {
  bytes[position++] = BACKSLASH;
  if (byte >= 0x20) {
    bytes[position++] = byte;
    return position;
  }
  const short = shortEscapes.get(byte);
  if (short !== undefined) {
    bytes[position++] = short;
    return position;
  }
  position += bytes.write('u00', position, 'latin1');
  bytes[position++] = hex[byte >> 4]!;
  bytes[position++] = hex[byte & 15]!;
  return position;
}

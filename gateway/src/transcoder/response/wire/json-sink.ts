const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_ASCII = 0x7f;
const ZERO = 0x30;
/** Bytes of UTF-8 that one unit of a JavaScript string may need. */
const LONGEST_CHARACTER = 3;
const FIRST_CAPACITY = 64 * 1024;
/** A larger buffer is not kept: one enormous response would hold its memory forever. */
const LARGEST_KEPT = 1024 * 1024;
/** Up to this length a loop is faster than a call into the engine. */
const SHORT = 64;

/** A growing buffer of JSON. Strings come as UTF-8 and are copied byte by byte, without becoming JavaScript strings. */
export class JsonSink {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = 0;

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > LARGEST_KEPT) {
      this.#bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
    }
  }

  /** A copy of everything written since `clear`. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** Appends text that is JSON already. */
  text(text: string): void {
    this.#reserve(text.length * LONGEST_CHARACTER);
    const bytes = this.#bytes;
    let length = this.#length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (index === SHORT || code > LAST_ASCII) {
        this.#length += bytes.write(text, this.#length);
        return;
      }
      bytes[length++] = code;
    }
    this.#length = length;
  }

  /** Appends bytes that are JSON already. */
  raw(source: Buffer, from = 0, to = source.length): void {
    this.#reserve(to - from);
    const bytes = this.#bytes;
    if (to - from > SHORT) {
      source.copy(bytes, this.#length, from, to);
      this.#length += to - from;
      return;
    }
    let length = this.#length;
    for (let index = from; index < to; index += 1) {
      bytes[length++] = source[index]!;
    }
    this.#length = length;
  }

  /** Appends UTF-8 as a JSON string. */
  string(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from + 2);
    const bytes = this.#bytes;
    let length = this.#length;
    bytes[length++] = QUOTE;
    for (let index = from; index < to; index += 1) {
      const byte = source[index]!;
      if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) {
        this.text(JSON.stringify(source.toString('utf8', from, to)));
        return;
      }
      bytes[length++] = byte;
    }
    bytes[length++] = QUOTE;
    this.#length = length;
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Appends the last `count` digits of a whole number below 2^31, zeros in front included. */
  digits(number: number, count: number): void {
    this.#reserve(count);
    const bytes = this.#bytes;
    const end = this.#length + count;
    let rest = number | 0;
    for (let index = end - 1; index >= this.#length; index -= 1) {
      const tenth = (rest / 10) | 0;
      bytes[index] = ZERO + rest - tenth * 10;
      rest = tenth;
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

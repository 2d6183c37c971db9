const TWO_TO_32 = 4_294_967_296;

/** Where protobuf's bytes are read, in place: no message is built. */
export class WireReader {
  bytes: Buffer = Buffer.alloc(0);
  position = 0;

  /** Tags, lengths and all integers of 32 bits. A negative one has ten bytes; of those the low half counts. */
  varint(): number {
    const { bytes } = this;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[this.position++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value >>> 0;
      }
    }
    this.#skipVarint(5);
    return value >>> 0;
  }

  /** Exact, or it throws. */
  int64(): number {
    return exact(this.#low(), this.#high | 0);
  }

  uint64(): number {
    return exact(this.#low(), this.#high >>> 0);
  }

  /** Passes over a value. */
  skip(wireType: number): void {
    switch (wireType) {
      case 0:
        this.#skipVarint(10);
        break;
      case 1:
        this.position += 8;
        break;
      case 2: {
        const length = this.varint();
        this.position += length;
        break;
      }
      case 5:
        this.position += 4;
        break;
      default:
        throw new RangeError(`a message has a field of the unknown wire type ${wireType}`);
    }
    if (this.position > this.bytes.length) {
      throw new RangeError('a message ends too early');
    }
  }

  #high = 0;

  /** The low 32 bits of a varint; the high ones are left in #high. */
  #low(): number {
    const { bytes } = this;
    let low = 0;
    this.#high = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[this.position++]!;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        return low >>> 0;
      }
    }
    let byte = bytes[this.position++]!;
    low |= (byte & 0x7f) << 28;
    let high = (byte & 0x7f) >> 4;
    for (let shift = 3; byte >= 0x80 && shift < 32; shift += 7) {
      byte = bytes[this.position++]!;
      high |= (byte & 0x7f) << shift;
    }
    this.#high = high;
    return low >>> 0;
  }

  #skipVarint(longest: number): void {
    for (let count = 0; count < longest; count += 1) {
      if (this.bytes[this.position++]! < 0x80) {
        return;
      }
    }
    throw new RangeError('a message has a number without an end');
  }
}

function exact(low: number, high: number): number {
  const value = high * TWO_TO_32 + low;
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is beyond the integers that JSON can carry`);
  }
  return value;
}

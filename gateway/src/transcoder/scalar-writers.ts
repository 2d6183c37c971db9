import type { FieldContract } from '../contract/field-contract';
import type { JsonSink } from './json-sink';
import { enumNames } from './request/scalar-readers';
import type { WireReader } from './wire-reader';

/** Writes the value at the reader's position; `end` is that of the message it belongs to. */
export type ValueWriter = (reader: WireReader, sink: JsonSink, end: number) => void;

const VARINT = 0;
const FIXED_64 = 1;
export const DELIMITED = 2;
const FIXED_32 = 5;

const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');
const nullBytes = Buffer.from('null');
const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
const ISO_DATE_LENGTH = '"2025-01-02'.length;

export function wireTypeOf({ kind, scalar }: FieldContract): number {
  if (kind === 'string' || kind === 'bytes' || kind === 'timestamp' || kind === 'message') {
    return DELIMITED;
  }
  if (scalar === 'double' || scalar.endsWith('fixed64')) {
    return FIXED_64;
  }
  return scalar === 'float' || scalar.endsWith('fixed32') ? FIXED_32 : VARINT;
}

/** What stands for a field that is not on the wire; undefined when it is left out. */
export function absentText(field: FieldContract): string | undefined {
  if (field.map) {
    return '{}';
  }
  if (field.repeated) {
    return '[]';
  }
  if (field.tracksPresence) {
    return field.omitWhenUnset ? undefined : 'null';
  }
  return zeroText(field);
}

/** Of a scalar; protobuf does not send it. */
export function zeroText({ format, kind }: FieldContract): string {
  if (format === 'JSON_OBJECT' || kind === 'enum') {
    return 'null';
  }
  if (kind === 'string' || kind === 'bytes') {
    return '""';
  }
  return kind === 'bool' && format !== 'BIT' ? 'false' : '0';
}

export function scalarWriter(field: FieldContract): ValueWriter {
  switch (field.format) {
    case 'MONEY': {
      const read = integerReader(field.scalar);
      return (reader, sink) => sink.tenThousandths(read(reader));
    }
    case 'JSON_OBJECT':
      return writeJsonObject;
    case 'BIT':
      return (reader, sink) => sink.integer(reader.varint() === 0 ? 0 : 1);
    case 'DATE':
      return field.kind === 'timestamp' ? writeDate : writeString;
    default:
      return plainWriter(field);
  }
}

function plainWriter(field: FieldContract): ValueWriter {
  switch (field.kind) {
    case 'string':
      return writeString;
    case 'bool':
      return (reader, sink) => writeWord(sink, reader.varint() === 0 ? falseBytes : trueBytes);
    case 'integer': {
      const read = integerReader(field.scalar);
      return (reader, sink) => sink.integer(read(reader));
    }
    case 'float':
      return field.scalar === 'float' ? writeFloat : writeDouble;
    case 'bytes':
      return writeBase64;
    case 'enum': {
      const names = new Map(
        [...enumNames(field.enumeration!)].map(([name, number]) => [number, Buffer.from(JSON.stringify(name))]),
      );
      return (reader, sink) => writeWord(sink, names.get(reader.varint()) ?? nullBytes);
    }
    default:
      return (reader, sink) => sink.time(readTimestamp(reader));
  }
}

function integerReader(scalar: string): (reader: WireReader) => number {
  switch (scalar) {
    case 'int32':
      return (reader) => reader.varint() | 0;
    case 'uint32':
      return (reader) => reader.varint();
    case 'sint32':
      return (reader) => {
        const value = reader.varint();
        return (value >>> 1) ^ -(value & 1);
      };
    case 'int64':
      return (reader) => reader.int64();
    case 'uint64':
      return (reader) => reader.uint64();
    case 'fixed32':
      return (reader) => reader.bytes.readUInt32LE((reader.position += 4) - 4);
    case 'sfixed32':
      return (reader) => reader.bytes.readInt32LE((reader.position += 4) - 4);
    default:
      throw new Error(`no field of an answer may be of the type ${scalar}`);
  }
}

/** Where the value begins; it ends at the position that is left. */
function passDelimited(reader: WireReader): number {
  const length = reader.varint();
  const start = reader.position;
  reader.position = start + length;
  if (reader.position > reader.bytes.length) {
    throw new RangeError('a message ends too early');
  }
  return start;
}

function writeString(reader: WireReader, sink: JsonSink): void {
  const start = passDelimited(reader);
  sink.string(reader.bytes, start, reader.position);
}

function writeWord(sink: JsonSink, word: Buffer): void {
  sink.raw(word, 0, word.length);
}

function writeJsonObject(reader: WireReader, sink: JsonSink): void {
  const start = passDelimited(reader);
  const { bytes, position: end } = reader;
  let first = start;
  while (first < end && bytes[first]! <= 0x20) {
    first += 1;
  }
  if (bytes[first] === OPEN_BRACE && first < end) {
    sink.raw(bytes, start, end);
  } else {
    writeWord(sink, nullBytes);
  }
}

function writeBase64(reader: WireReader, sink: JsonSink): void {
  const start = passDelimited(reader);
  sink.text(`"${reader.bytes.toString('base64', start, reader.position)}"`);
}

function writeDouble(reader: WireReader, sink: JsonSink): void {
  writeNumber(reader.bytes.readDoubleLE((reader.position += 8) - 8), sink);
}

function writeFloat(reader: WireReader, sink: JsonSink): void {
  writeNumber(reader.bytes.readFloatLE((reader.position += 4) - 4), sink);
}

function writeNumber(value: number, sink: JsonSink): void {
  sink.text(Number.isFinite(value) ? String(value) : 'null');
}

/** Milliseconds since 1970 from google.protobuf.Timestamp: 1 is seconds, 2 is nanoseconds. */
function readTimestamp(reader: WireReader): number {
  const end = reader.varint() + reader.position;
  let seconds = 0;
  let nanos = 0;
  while (reader.position < end) {
    const tag = reader.varint();
    if (tag === 8) {
      seconds = reader.int64();
    } else if (tag === 16) {
      nanos = reader.varint() | 0;
    } else {
      reader.skip(tag & 7);
    }
  }
  return Math.trunc(seconds * 1000 + nanos / 1_000_000);
}

function writeDate(reader: WireReader, sink: JsonSink): void {
  const start = sink.length;
  sink.time(readTimestamp(reader));
  // An instant that is no date is null already.
  if (sink.length - start > ISO_DATE_LENGTH) {
    sink.cut(start + ISO_DATE_LENGTH);
    sink.byte(QUOTE);
  }
}

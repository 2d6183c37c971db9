import type { FieldContract } from '../contract/field-contract';
import { DELIMITED, wireTypeOf, zeroText } from './scalar-writers';
import type { ValueWriter } from './scalar-writers';
import type { JsonSink } from './json-sink';
import type { WireReader } from './wire-reader';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** From the tag of the first item on. Items need not stand together, and numbers may come packed in one value. */
export function listWriter({ number, ...field }: FieldContract, write: ValueWriter): ValueWriter {
  const packable = field.kind !== 'message' && wireTypeOf({ number, ...field }) !== DELIMITED;
  return (reader, sink, end) => {
    let separator = OPEN_BRACKET;
    while (reader.position < end) {
      const tag = reader.varint();
      if (tag >>> 3 !== number) {
        reader.skip(tag & 7);
      } else if (packable && (tag & 7) === DELIMITED) {
        const stop = reader.varint() + reader.position;
        while (reader.position < stop) {
          sink.byte(separator);
          separator = COMMA;
          write(reader, sink, end);
        }
      } else {
        sink.byte(separator);
        separator = COMMA;
        write(reader, sink, end);
      }
    }
    // Packed, but empty.
    if (separator === OPEN_BRACKET) {
      sink.byte(OPEN_BRACKET);
    }
    sink.byte(CLOSE_BRACKET);
  };
}

/** On the wire a map is a list of messages: 1 is the key, 2 the value. */
export function mapWriter(field: FieldContract, writeValue: ValueWriter): ValueWriter {
  const zero = field.kind === 'message' ? 'null' : zeroText(field);
  return (reader, sink, end) => {
    let separator = OPEN_BRACE;
    while (reader.position < end) {
      const tag = reader.varint();
      if (tag >>> 3 === field.number) {
        sink.byte(separator);
        separator = COMMA;
        writeEntry(reader, sink, zero, writeValue);
      } else {
        reader.skip(tag & 7);
      }
    }
    sink.byte(CLOSE_BRACE);
  };
}

function writeEntry(reader: WireReader, sink: JsonSink, zero: string, writeValue: ValueWriter): void {
  const end = reader.varint() + reader.position;
  let key = 0;
  let value = 0;
  while (reader.position < end) {
    const tag = reader.varint();
    if (tag >>> 3 === 1) {
      key = reader.position;
    } else {
      value = reader.position;
    }
    reader.skip(tag & 7);
  }
  reader.position = key;
  const length = key === 0 ? 0 : reader.varint();
  sink.string(reader.bytes, reader.position, reader.position + length);
  sink.byte(COLON);
  reader.position = value;
  if (value === 0) {
    sink.text(zero);
  } else {
    writeValue(reader, sink, end);
  }
  reader.position = end;
}

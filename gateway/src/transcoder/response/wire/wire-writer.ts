import { Reader } from 'protobufjs';
import type { Type } from 'protobufjs';
import { fieldContracts } from '../../../contract/field-contract';
import type { FieldContract } from '../../../contract/field-contract';
import { valueWriter } from '../value-writer';
import { JsonSink } from './json-sink';
import { numberWriter } from './number-bytes';

/** JSON of a message straight from its bytes; undefined for a message that only the plain writer can write. */
export type WireWriter = (bytes: Buffer) => Buffer | undefined;

/** Writes the value at the reader's position; false gives the message up. */
type WriteValue = (reader: Reader) => boolean;

interface FieldPlan {
  index: number;
  tag: number;
  repeated: boolean;
  /** `"name":`, after a comma unless it is the first field. */
  label: Buffer;
  /** The label and value of a field that is not on the wire. */
  absent: Buffer;
  write: WriteValue;
}

interface MessagePlan {
  fields: FieldPlan[];
  byNumber: (FieldPlan | undefined)[];
}

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;
const OPEN_BRACE = Buffer.from('{');
const CLOSE_BRACE = Buffer.from('}');
const OPEN_BRACKET = Buffer.from('[');
const CLOSE_BRACKET = Buffer.from(']');
const COMMA = Buffer.from(',');

// Shared by all writers: writing is synchronous.
const sink = new JsonSink();

/**
 * Copies strings from the message into JSON without decoding them, and writes numbers and times as digits (number-bytes.ts), for messages
 * as our services write them: fields in the order of the proto, items of a list together. Undefined for a type with fields that it does not know how to write.
 */
export function compileWireWriter(type: Type): WireWriter | undefined {
  const plan = planMessage(type, new Map());
  if (plan === undefined) {
    return undefined;
  }
  return (bytes) => {
    sink.clear();
    return writeMessage(plan, Reader.create(bytes), bytes.length) ? sink.take() : undefined;
  };
}

function planMessage(type: Type, known: Map<Type, MessagePlan>): MessagePlan | undefined {
  const made = known.get(type);
  if (made !== undefined) {
    return made;
  }
  const plan: MessagePlan = { fields: [], byNumber: [] };
  known.set(type, plan);
  for (const [index, field] of fieldContracts(type).entries()) {
    const write = writerFor(field, known);
    // The first field has no comma before it, so it must always be written.
    if (write === undefined || field.map || (index === 0 && field.omitWhenUnset)) {
      return undefined;
    }
    const label = `${index === 0 ? '' : ','}${JSON.stringify(field.jsonName)}:`;
    const wireType = wireTypeOf(field);
    // Numbers of a list are packed into one value.
    if (field.repeated && wireType !== DELIMITED) {
      return undefined;
    }
    const planned = {
      index,
      tag: (field.number << 3) | wireType,
      repeated: field.repeated,
      label: Buffer.from(label),
      absent: Buffer.from(absentText(field, label)),
      write,
    };
    plan.fields.push(planned);
    plan.byNumber[field.number] = planned;
  }
  return plan;
}

function wireTypeOf({ kind, scalar }: FieldContract): number {
  if (kind === 'string' || kind === 'bytes' || kind === 'timestamp' || kind === 'message') {
    return DELIMITED;
  }
  if (scalar === 'double' || scalar.endsWith('fixed64')) {
    return FIXED_64;
  }
  return scalar === 'float' || scalar.endsWith('fixed32') ? FIXED_32 : VARINT;
}

function absentText(field: FieldContract, label: string): string {
  if (field.repeated) {
    return `${label}[]`;
  }
  if (field.tracksPresence) {
    return field.omitWhenUnset ? '' : `${label}null`;
  }
  return label + valueWriter(field)(zeroOf(field));
}

function zeroOf({ kind }: FieldContract): unknown {
  switch (kind) {
    case 'string':
      return '';
    case 'bytes':
      return Buffer.alloc(0);
    case 'bool':
      return false;
    default:
      return 0;
  }
}

function writerFor(field: FieldContract, known: Map<Type, MessagePlan>): WriteValue | undefined {
  if (field.kind === 'message') {
    const plan = planMessage(field.message!, known);
    return plan && ((reader) => writeMessage(plan, reader, reader.uint32() + reader.pos));
  }
  if (field.kind === 'string') {
    return field.format === 'JSON_OBJECT' ? writeJsonObject : writeString;
  }
  const textOf = valueWriter(field);
  const decode = decoderOf(field);
  const writeText: WriteValue = (reader) => {
    sink.text(textOf(decode(reader)));
    return true;
  };
  const writeNumber = numberWriter(field);
  if (writeNumber === undefined) {
    return writeText;
  }
  return (reader) => {
    const start = reader.pos;
    if (!writeNumber(sink, reader)) {
      reader.pos = start;
      return writeText(reader);
    }
    return true;
  };
}

function decoderOf({ kind, scalar, message }: FieldContract): (reader: Reader) => unknown {
  switch (kind) {
    case 'timestamp':
      return (reader) => message!.decode(reader, reader.uint32());
    case 'enum':
      return (reader) => reader.int32();
    default:
      return (reader) => reader[scalar as 'int64']();
  }
}

function writeString(reader: Reader): boolean {
  const length = reader.uint32();
  reader.skip(length);
  sink.string(reader.buf as Buffer, reader.pos - length, reader.pos);
  return true;
}

/** Objects that begin with anything but their brace are left to the plain writer. */
function writeJsonObject(reader: Reader): boolean {
  const length = reader.uint32();
  const start = reader.pos;
  reader.skip(length);
  sink.raw(reader.buf as Buffer, start, reader.pos);
  return length > 0 && reader.buf[start] === OPEN_BRACE[0];
}

function writeMessage({ fields, byNumber }: MessagePlan, reader: Reader, end: number): boolean {
  let next = 0;
  sink.raw(OPEN_BRACE);
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = byNumber[tag >>> 3];
    if (field === undefined) {
      reader.skipType(tag & 7);
      continue;
    }
    if (field.tag !== tag || field.index < next) {
      return false;
    }
    for (; next < field.index; next += 1) {
      sink.raw(fields[next]!.absent);
    }
    next += 1;
    sink.raw(field.label);
    if (!(field.repeated ? writeItems(field, reader, end) : field.write(reader))) {
      return false;
    }
  }
  for (; next < fields.length; next += 1) {
    sink.raw(fields[next]!.absent);
  }
  sink.raw(CLOSE_BRACE);
  return reader.pos === end;
}

function writeItems({ tag, write }: FieldPlan, reader: Reader, end: number): boolean {
  sink.raw(OPEN_BRACKET);
  for (let separator = false; ; separator = true) {
    if (separator) {
      sink.raw(COMMA);
    }
    if (!write(reader)) {
      return false;
    }
    const position = reader.pos;
    if (position >= end || reader.uint32() !== tag) {
      reader.pos = position;
      sink.raw(CLOSE_BRACKET);
      return true;
    }
  }
}

import type { Type } from 'protobufjs';
import { fieldContracts } from '../contract/field-contract';
import type { FieldContract } from '../contract/field-contract';
import { JsonSink } from './json-sink';
import { listWriter, mapWriter } from './several-writers';
import { DELIMITED, absentText, scalarWriter, wireTypeOf } from './scalar-writers';
import type { ValueWriter } from './scalar-writers';
import { WireReader } from './wire-reader';

/** From the bytes of a message to JSON; text when it is short. */
export type MessageWriter = (bytes: Buffer) => string | Buffer;

export interface WriterCompiler {
  message(type: Type): MessageWriter;
  /** Writes the value of one field of a message, list or not: what response_body selects. */
  field(type: Type, name: string): MessageWriter | undefined;
}

/** Of one type, only some fields are shown. */
export interface Selection {
  type: Type;
  shows: (jsonName: string) => boolean;
}

interface FieldPlan {
  /** Repeated fields and maps may come several times; of others the last one counts. */
  several: boolean;
  /** Of a field that comes once; another one is passed over. */
  wireType: number;
  /** `,"name":` */
  label: Buffer;
  /** The field as it looks when it did not come; empty when it is left out then. */
  absent: Buffer;
  /** Reads from the reader's position; of fields that come several times that is the first one's tag. */
  write: ValueWriter;
}

interface MessagePlan {
  fields: FieldPlan[];
  /** Index in `fields` by number. */
  byNumber: number[];
  /** Whether there is a field that may come several times. */
  several: boolean;
}

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

// One at a time: writing waits for nothing.
const reader = new WireReader();
const sink = new JsonSink();
/** Where the fields of the message at hand begin, and of those around it; 0 is nowhere. */
let places = new Int32Array(1024);
let placed = 0;

/** JSON straight from the wire: no message, no object, no string in between, and the text of JSON_OBJECT fields goes through untouched. */
export function createWriterCompiler(selection?: Selection): WriterCompiler {
  const plans = new Map<Type, MessagePlan>();

  function planOf(type: Type): MessagePlan {
    const known = plans.get(type);
    if (known !== undefined) {
      return known;
    }
    const plan: MessagePlan = { fields: [], byNumber: [], several: false };
    plans.set(type, plan);
    for (const field of fieldContracts(type)) {
      if (selection?.type === type && !selection.shows(field.jsonName)) {
        continue;
      }
      plan.byNumber[field.number] = plan.fields.push(planField(field)) - 1;
      plan.several ||= field.repeated || field.map;
    }
    return plan;
  }

  function planField(field: FieldContract): FieldPlan {
    const label = Buffer.from(`,${JSON.stringify(field.jsonName)}:`);
    const absent = absentText(field);
    const write = itemWriter(field);
    return {
      several: field.repeated || field.map,
      wireType: field.kind === 'message' ? DELIMITED : wireTypeOf(field),
      label,
      absent: Buffer.from(absent === undefined ? '' : `${label.toString()}${absent}`),
      write: field.map ? mapWriter(field, write) : field.repeated ? listWriter(field, write) : write,
    };
  }

  function itemWriter(field: FieldContract): ValueWriter {
    if (field.kind !== 'message') {
      return scalarWriter(field);
    }
    const plan = planOf(field.message!);
    return () => {
      const length = reader.varint();
      writeMessage(plan, reader.position + length);
    };
  }

  return {
    message(type) {
      const plan = planOf(type);
      return (bytes) => written(bytes, () => writeMessage(plan, bytes.length));
    },
    field(type, name) {
      const field = fieldContracts(type).find((candidate) => candidate.name === name);
      if (field === undefined) {
        return undefined;
      }
      const fields = [{ ...planField(field), label: Buffer.alloc(0) }];
      const plan: MessagePlan = { fields, byNumber: [], several: fields[0]!.several };
      plan.byNumber[field.number] = 0;
      plan.fields[0]!.absent = Buffer.from(absentText(field) ?? 'null');
      return (bytes) => written(bytes, () => writeFields(plan, bytes.length));
    },
  };
}

function written(bytes: Buffer, write: () => void): string | Buffer {
  reader.bytes = bytes;
  reader.position = 0;
  placed = 0;
  sink.clear();
  write();
  return sink.take();
}

function writeMessage(plan: MessagePlan, end: number): void {
  const start = sink.length;
  writeFields(plan, end);
  if (sink.length === start) {
    sink.byte(OPEN_BRACE);
  } else {
    // The comma before the first field.
    sink.replace(start, OPEN_BRACE);
  }
  sink.byte(CLOSE_BRACE);
}

/** The order of the wire is anybody's, but nearly always it is that of JSON, which is the proto's. */
function writeFields(plan: MessagePlan, end: number): void {
  const start = reader.position;
  const length = sink.length;
  if (plan.several || !writeInOrder(plan, end)) {
    reader.position = start;
    sink.cut(length);
    writeInAnyOrder(plan, end);
  }
}

/** Each field as it comes. Gives up on one that should have come before. */
function writeInOrder({ fields, byNumber }: MessagePlan, end: number): boolean {
  let next = 0;
  while (reader.position < end) {
    const tag = reader.varint();
    const index = byNumber[tag >>> 3];
    if (index === undefined || fields[index]!.wireType !== (tag & 7)) {
      reader.skip(tag & 7);
      continue;
    }
    if (index < next) {
      return false;
    }
    for (; next < index; next += 1) {
      const { absent } = fields[next]!;
      sink.raw(absent, 0, absent.length);
    }
    const { label, write } = fields[index]!;
    sink.raw(label, 0, label.length);
    write(reader, sink, end);
    next = index + 1;
  }
  for (; next < fields.length; next += 1) {
    const { absent } = fields[next]!;
    sink.raw(absent, 0, absent.length);
  }
  return reader.position === end;
}

/** It is noted first where each field is. */
function writeInAnyOrder({ fields, byNumber }: MessagePlan, end: number): void {
  const first = placed;
  placed += fields.length;
  makeRoom(placed);
  places.fill(0, first, placed);
  while (reader.position < end) {
    const start = reader.position;
    const tag = reader.varint();
    const index = byNumber[tag >>> 3];
    if (index !== undefined) {
      const field = fields[index]!;
      if (!field.several) {
        if ((tag & 7) === field.wireType) {
          places[first + index] = reader.position;
        }
      } else if (places[first + index] === 0) {
        // One more than where it is, because a tag may stand at 0.
        places[first + index] = start + 1;
      }
    }
    reader.skip(tag & 7);
  }
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index]!;
    const place = places[first + index]!;
    if (place === 0) {
      sink.raw(field.absent, 0, field.absent.length);
    } else {
      sink.raw(field.label, 0, field.label.length);
      reader.position = field.several ? place - 1 : place;
      field.write(reader, sink, end);
    }
  }
  reader.position = end;
  placed = first;
}

function makeRoom(count: number): void {
  if (count > places.length) {
    const larger = new Int32Array(count * 2);
    larger.set(places);
    places = larger;
  }
}

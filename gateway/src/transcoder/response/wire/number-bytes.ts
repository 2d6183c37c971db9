import type { Reader } from 'protobufjs';
import type { FieldContract } from '../../../contract/field-contract';
import type { JsonSink } from './json-sink';

// Numbers, amounts and times go from the message to JSON digit by digit, without becoming strings or objects.

/** Returns false for what is rare (negative, or very large): then nothing has been written, and the reader is anywhere within the value. */
export type WriteNumber = (sink: JsonSink, reader: Reader) => boolean;

const varints: ReadonlySet<string> = new Set(['int32', 'int64', 'uint32', 'uint64']);

/** Undefined for values that are not written in this way. */
export function numberWriter({ kind, scalar, format }: FieldContract): WriteNumber | undefined {
  if (kind === 'timestamp') {
    return format === 'DATE' ? undefined : writeTime;
  }
  if (kind !== 'integer' || !varints.has(scalar)) {
    return undefined;
  }
  return format === 'MONEY' ? writeAmount : writeInteger;
}

/** `JsonSink.digits` computes with 32-bit integers, which is what makes it quick; larger numbers are written as text. */
const LARGEST = 0x7fffffff;
const LONGEST_VARINT = 7;
const POINT = 0x2e;
const COLON = 0x3a;
const QUOTE = 0x22;
const Z = 0x5a;

/** NaN for what has more than 49 bits or is cut short. */
function readVarint(reader: Reader): number {
  const { buf } = reader;
  let value = 0;
  let factor = 1;
  for (let length = 0; length < LONGEST_VARINT && reader.pos < reader.len; length += 1) {
    const byte = buf[reader.pos++]!;
    if (byte < 0x80) {
      return value + byte * factor;
    }
    value += (byte - 0x80) * factor;
    factor *= 0x80;
  }
  return Number.NaN;
}

function writeInteger(sink: JsonSink, reader: Reader): boolean {
  const value = readVarint(reader);
  if (!(value <= LARGEST)) {
    return false;
  }
  sink.digits(value, countOfDigits(value));
  return true;
}

/** In 1/10000: the shortest decimal. */
function writeAmount(sink: JsonSink, reader: Reader): boolean {
  const value = readVarint(reader);
  if (!(value <= LARGEST)) {
    return false;
  }
  const whole = Math.floor(value / 10_000);
  sink.digits(whole, countOfDigits(whole));
  let fraction = value - whole * 10_000;
  if (fraction > 0) {
    let digits = 4;
    for (; fraction % 10 === 0; fraction /= 10) {
      digits -= 1;
    }
    sink.byte(POINT);
    sink.digits(fraction, digits);
  }
  return true;
}

function countOfDigits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) {
    count += 1;
  }
  return count;
}

const SECONDS_TAG = 0x08;
const NANOS_TAG = 0x10;
const DAY_SECONDS = 86_400;
/** The first second of the year 10000, whose text is longer. */
const END_OF_YEARS = Date.UTC(10_000, 0) / 1000;

let lastDay = -1;
/** "2025-01-02T" of the last day: times of a list are mostly of the same. */
let lastDate = Buffer.alloc(0);

/** As toISOString writes it. */
function writeTime(sink: JsonSink, reader: Reader): boolean {
  const end = readVarint(reader) + reader.pos;
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const tag = reader.buf[reader.pos++];
    const value = readVarint(reader);
    if (tag === SECONDS_TAG && value < END_OF_YEARS) seconds = value;
    else if (tag === NANOS_TAG && value < 1_000_000_000) nanos = value;
    else return false;
  }
  if (reader.pos !== end) {
    return false;
  }
  const day = Math.floor(seconds / DAY_SECONDS);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = Buffer.from(new Date(seconds * 1000).toISOString().slice(0, 11));
  }
  const second = seconds - day * DAY_SECONDS;
  sink.byte(QUOTE);
  sink.raw(lastDate);
  sink.digits(Math.floor(second / 3600), 2);
  sink.byte(COLON);
  sink.digits(Math.floor(second / 60) % 60, 2);
  sink.byte(COLON);
  sink.digits(second % 60, 2);
  sink.byte(POINT);
  sink.digits(Math.floor(nanos / 1_000_000), 3);
  sink.byte(Z);
  sink.byte(QUOTE);
  return true;
}

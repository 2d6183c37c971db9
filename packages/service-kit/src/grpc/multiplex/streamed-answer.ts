import type { BinaryReader } from '@bufbuild/protobuf/wire';
import type { StreamedAnswer } from '@sabia/protos/sabia/api/v1/call_stream';

/*
 * The wire form of a StreamedAnswer, as its generated codec has it. That one copies the message several times; an answer is large, and what is allocated
 * for each adds up until the garbage collector does little else. Here the message is copied once on its way out, and on its way in it stays where it is.
 */

const tags = { id: 8, message: 18, code: 24, details: 34, statusDetails: 42, replayed: 48 } as const;
const nothing = Buffer.alloc(0);

export function sizeOfAnswer({ id, message, code, details, statusDetails, replayed }: StreamedAnswer): number {
  return (
    sizeOfNumber(id) +
    sizeOfBytes(message.length) +
    sizeOfNumber(code) +
    sizeOfBytes(Buffer.byteLength(details)) +
    sizeOfBytes(statusDetails.length) +
    sizeOfNumber(replayed ? 1 : 0)
  );
}

/** Where it ends. */
export function writeAnswer(bytes: Buffer, position: number, answer: StreamedAnswer): number {
  const { id, message, code, details, statusDetails, replayed } = answer;
  let at = writeNumber(bytes, position, tags.id, id);
  at = writeBytes(bytes, at, tags.message, message);
  at = writeNumber(bytes, at, tags.code, code);
  at = writeBytes(bytes, at, tags.details, details === '' ? nothing : Buffer.from(details));
  at = writeBytes(bytes, at, tags.statusDetails, statusDetails);
  return writeNumber(bytes, at, tags.replayed, replayed ? 1 : 0);
}

export function readAnswer(reader: BinaryReader, end: number): StreamedAnswer {
  const answer: StreamedAnswer = {
    id: 0,
    message: nothing,
    code: 0,
    details: '',
    statusDetails: nothing,
    replayed: false,
  };
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag) {
      case tags.id:
        answer.id = reader.uint32();
        break;
      case tags.message:
        answer.message = viewOf(reader.bytes());
        break;
      case tags.code:
        answer.code = reader.uint32();
        break;
      case tags.details:
        answer.details = reader.string();
        break;
      case tags.statusDetails:
        answer.statusDetails = viewOf(reader.bytes());
        break;
      case tags.replayed:
        answer.replayed = reader.bool();
        break;
      default:
        reader.skip(tag & 7, tag >>> 3);
    }
  }
  return answer;
}

export function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) {
    size += 1;
  }
  return size;
}

export function writeVarint(bytes: Buffer, position: number, value: number): number {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) {
    bytes[position++] = (rest & 0x7f) | 0x80;
  }
  bytes[position++] = rest;
  return position;
}

/** What is 0 is not written, nor what is empty. */
const sizeOfNumber = (value: number): number => (value === 0 ? 0 : 1 + sizeOfVarint(value));
const sizeOfBytes = (length: number): number => (length === 0 ? 0 : 1 + sizeOfVarint(length) + length);

function writeNumber(bytes: Buffer, position: number, tag: number, value: number): number {
  return value === 0 ? position : writeVarint(bytes, writeVarint(bytes, position, tag), value);
}

function writeBytes(bytes: Buffer, position: number, tag: number, value: Buffer): number {
  if (value.length === 0) {
    return position;
  }
  const start = writeVarint(bytes, writeVarint(bytes, position, tag), value.length);
  bytes.set(value, start);
  return start + value.length;
}

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

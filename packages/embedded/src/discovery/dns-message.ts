/** The part of RFC 1035 that is needed to answer with the IPv4 addresses of a name. */
export interface Question {
  id: number;
  /** In lower case, without the dot at the end. */
  name: string;
  type: number;
  /** The bytes of the question, repeated in the answer. */
  section: Buffer;
  recursionDesired: boolean;
}

export const A_RECORD = 1;
const HEADER_BYTES = 12;
const INTERNET = 1;
const RESPONSE_AND_AUTHORITATIVE = 0x8400;
const RECURSION_DESIRED = 0x0100;
const NAME_ERROR = 3;
/** Points back at the name in the question. */
const SAME_NAME = 0xc00c;
const RECORD_BYTES = 16;

/** Returns undefined for a message that is no query or has more than one question. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < HEADER_BYTES || message.readUInt16BE(4) !== 1) return undefined;
  const flags = message.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return undefined;
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63) return undefined;
    at += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', at, at + length));
    at += length;
  }
  if (message.length < at + 4) return undefined;
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at),
    section: message.subarray(HEADER_BYTES, at + 4),
    recursionDesired: (flags & RECURSION_DESIRED) !== 0,
  };
}

/** `addresses` undefined: there is no such name. Answers have a TTL of 0, because the next one may differ. */
export function writeAnswer(question: Question, addresses: readonly string[] | undefined): Buffer {
  const records = addresses ?? [];
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(question.id, 0);
  const flags = RESPONSE_AND_AUTHORITATIVE | (question.recursionDesired ? RECURSION_DESIRED : 0);
  header.writeUInt16BE(addresses ? flags : flags | NAME_ERROR, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question.section, ...records.map(addressRecord)]);
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.writeUInt16BE(SAME_NAME, 0);
  record.writeUInt16BE(A_RECORD, 2);
  record.writeUInt16BE(INTERNET, 4);
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(4, 10);
  Buffer.from(address.split('.').map(Number)).copy(record, 12);
  return record;
}

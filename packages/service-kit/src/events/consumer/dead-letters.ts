import { NatsError, headers } from 'nats';
import type { Msg, MsgHdrs, MsgRequest, NatsConnection, StoredMsg } from 'nats';
import { messageIdHeader, onlyForHeader, readEnvelope } from '../envelope';
import type { Nats } from '../nats/connection';
import { deadLetterStream, deadLetterSubject, deadLetterSubjects } from '../nats/topology';

export interface DeadLetter {
  /** The sequence in the dead-letter stream, which identifies the letter for a replay. */
  sequence: number;
  durable: string;
  reason: string;
  tries: number;
  deadAt: Date;
  /** The subject it was published on. */
  subject: string;
  /** Undefined when the bytes are not an event. */
  event?: { id: string; type: string; version: number; accountId: number; occurredAt: Date; payload: Buffer };
}

export interface DeadLetterFilter {
  durable?: string;
  limit?: number;
  /** Only letters after this sequence, for the next page. */
  after?: number;
}

const noMessageFound = 10037;
const reasonHeader = 'Sabia-Reason';
const triesHeader = 'Sabia-Tries';
const subjectHeader = 'Sabia-Subject';
const maxReasonLength = 500;

/** Stores the letter before the original is given up, so that an event is always in one of the two streams. */
export async function storeDeadLetter(
  connection: NatsConnection,
  durable: string,
  { subject, data }: Pick<Msg, 'subject' | 'data'>,
  streamSequence: number,
  { id, reason, tries }: { id: string; reason: string; tries: number },
): Promise<void> {
  const letterHeaders = headers();
  letterHeaders.set(reasonHeader, headerText(reason));
  letterHeaders.set(triesHeader, String(tries));
  letterHeaders.set(subjectHeader, subject);
  await connection.jetstream().publish(deadLetterSubject(durable), data, {
    msgID: `${durable}:${id}:${streamSequence}`,
    headers: letterHeaders,
    timeout: 5_000,
  });
}

/** Oldest first. */
export async function listDeadLetters(
  nats: Nats,
  { durable, limit = 100, after = 0 }: DeadLetterFilter = {},
): Promise<DeadLetter[]> {
  const connection = await nats.connection();
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const subject = durable === undefined ? deadLetterSubjects : deadLetterSubject(durable);
  const letters: DeadLetter[] = [];
  let sequence = after;
  while (letters.length < limit) {
    // The server knows next_by_subj since 2.9; the client's types do not.
    const query = { seq: sequence + 1, next_by_subj: subject } as MsgRequest;
    const stored = await nextMessage(manager.streams.getMessage(deadLetterStream, query));
    if (stored === undefined) {
      break;
    }
    letters.push(toDeadLetter(stored));
    sequence = stored.seq;
  }
  return letters;
}

/**
 * Publishes a dead letter again, only for the consumer that gave it up, and removes it from the list. To be used after the
 * cause has been repaired. False: there is no such letter.
 */
export async function replayDeadLetter(nats: Nats, sequence: number): Promise<boolean> {
  const connection = await nats.connection();
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const stored = await nextMessage(manager.streams.getMessage(deadLetterStream, { seq: sequence }));
  if (stored === undefined) {
    return false;
  }
  const messageHeaders = headers();
  // Under its own id JetStream would drop it as a duplicate; the sequence makes each letter replayable once.
  messageHeaders.set(messageIdHeader, `replay:${sequence}`);
  messageHeaders.set(onlyForHeader, stored.subject.slice(deadLetterSubject('').length));
  await connection.jetstream().publish(stored.header.get(subjectHeader), stored.data, { headers: messageHeaders });
  await manager.streams.deleteMessage(deadLetterStream, sequence, false);
  return true;
}

async function nextMessage(request: Promise<StoredMsg>): Promise<StoredMsg | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === noMessageFound) {
      return undefined;
    }
    throw error;
  }
}

function toDeadLetter({ seq, subject, header, data, time }: StoredMsg): DeadLetter {
  return {
    sequence: seq,
    durable: subject.slice(deadLetterSubject('').length),
    reason: text(header, reasonHeader),
    tries: Number(text(header, triesHeader)),
    deadAt: time,
    subject: text(header, subjectHeader),
    event: readEvent(data),
  };
}

function readEvent(data: Uint8Array): DeadLetter['event'] {
  try {
    const { id, type, version, accountId, occurredAt, payload } = readEnvelope(data);
    return { id, type, version, accountId, occurredAt, payload };
  } catch {
    return undefined;
  }
}

function text(header: MsgHdrs, key: string): string {
  return header.get(key);
}

/** A header is one line; an error's message may be many. */
function headerText(reason: string): string {
  return reason.replace(/[^\x20-\x7e]+/g, ' ').slice(0, maxReasonLength) || 'unknown';
}

import { liveAudiences } from '@sabia/protos/events/live';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { headers } from 'nats';
import type { Publication } from './relay/batch-publisher';
import { isEventId } from './outbox';
import type { OutboxRow } from './relay/outbox-session';
import { eventSubject, liveSubject, shardOf, shardSubject } from './nats/topology';

export const messageIdHeader = 'Nats-Msg-Id';
export const traceparentHeader = 'traceparent';
export const tracestateHeader = 'tracestate';

/** Set on a replayed event: only the consumer named here handles it. */
export const onlyForHeader = 'Sabia-Only-For';

export function toPublication(row: OutboxRow): Publication {
  const messageHeaders = headers();
  messageHeaders.set(messageIdHeader, row.id);
  // Also in the headers, for tools that cannot read the envelope.
  if (row.traceparent !== '') {
    messageHeaders.set(traceparentHeader, row.traceparent);
  }
  if (row.tracestate !== '') {
    messageHeaders.set(tracestateHeader, row.tracestate);
  }
  const envelope: Envelope = {
    id: row.id,
    type: row.type,
    version: row.version,
    accountId: row.account_id,
    occurredAt: row.occurred_at,
    traceparent: row.traceparent,
    tracestate: row.tracestate,
    payload: row.payload,
    also: [],
  };
  return { subject: eventSubject(row.type), data: Envelope.encode(envelope).finish(), headers: messageHeaders };
}

/** The message for services; none if only accounts follow the event. */
export function servicePublicationOf(row: OutboxRow, shardEvents = false): Publication[] {
  if (liveAudiences.get(row.type) === 'accounts') {
    return [];
  }
  const publication = toPublication(row);
  return [shardEvents ? { ...publication, subject: shardSubject(row.type, shardOf(row.account_id)) } : publication];
}

/** The message for the account, in a stream of its own; none if accounts do not follow the event or were told of it before. */
export function livePublicationOf(row: OutboxRow): Publication[] {
  if (!isToldLive(row)) {
    return [];
  }
  const { data, headers: messageHeaders } = toPublication(row);
  const subject = liveSubject(row.account_id, row.type);
  if (row.also.length === 0) {
    return [{ subject, data, headers: messageHeaders }];
  }
  // Not the id of the first event: a message with that event alone must not make JetStream drop those that go with it.
  messageHeaders.set(messageIdHeader, `${row.id}-and-others`);
  return [{ subject, data: Buffer.concat([data, row.also]), headers: messageHeaders }];
}

export const isToldLive = ({ type, services_only }: OutboxRow): boolean => liveAudiences.has(type) && !services_only;

export type ReadEnvelope = Envelope & { occurredAt: Date };

/** Throws when the bytes are not an event. */
export const readEnvelope = (data: Uint8Array): ReadEnvelope => check(Envelope.decode(data));

/** All events that a message to an account tells of. Throws when the bytes are not events. */
export function readLiveEnvelopes(data: Uint8Array): ReadEnvelope[] {
  const envelope = readEnvelope(data);
  return [envelope, ...envelope.also.map(check)];
}

function check(envelope: Envelope): ReadEnvelope {
  if (!isEventId(envelope.id) || envelope.type === '' || envelope.occurredAt === undefined) {
    throw new TypeError('not an event: id, type or time is missing');
  }
  // In lower case like PostgreSQL's uuids, because ids are compared with those of the inbox.
  return { ...envelope, id: envelope.id.toLowerCase(), occurredAt: envelope.occurredAt };
}

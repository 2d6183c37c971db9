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

/** Set on an event that is published again for one consumer: only the one named here handles it. */
export const onlyForHeader = 'Sabia-Only-For';

export const envelopeOf = (row: OutboxRow): Envelope => ({
  id: row.id,
  type: row.type,
  version: row.version,
  accountId: row.account_id,
  occurredAt: row.occurred_at,
  traceparent: row.traceparent,
  tracestate: row.tracestate,
  payload: row.payload,
  also: [],
});

/** A message with this event alone. */
export function toPublication(row: OutboxRow, subject: string): Publication {
  const messageHeaders = headers();
  messageHeaders.set(messageIdHeader, row.id);
  // Also in the headers, for tools that cannot read the envelope.
  if (row.traceparent !== '') {
    messageHeaders.set(traceparentHeader, row.traceparent);
  }
  if (row.tracestate !== '') {
    messageHeaders.set(tracestateHeader, row.tracestate);
  }
  return { subject, data: Envelope.encode(envelopeOf(row)).finish(), headers: messageHeaders };
}

/** The subject for services; undefined if only accounts follow the event. */
export function serviceSubjectOf({ type, account_id }: OutboxRow, shardEvents: boolean): string | undefined {
  if (liveAudiences.get(type) === 'accounts') {
    return undefined;
  }
  return shardEvents ? shardSubject(type, shardOf(account_id)) : eventSubject(type);
}

/** The message for the account, in a stream of its own; none if accounts do not follow the event or were told of it before. */
export function livePublicationOf(row: OutboxRow): Publication[] {
  if (!isToldLive(row)) {
    return [];
  }
  const publication = toPublication(row, liveSubject(row.account_id, row.type));
  if (row.also.length === 0) {
    return [publication];
  }
  // Not the id of the first event: a message with that event alone must not make JetStream drop those that go with it.
  publication.headers.set(messageIdHeader, `${row.id}-and-others`);
  return [{ ...publication, data: Buffer.concat([publication.data, row.also]) }];
}

export const isToldLive = ({ type, services_only }: OutboxRow): boolean => liveAudiences.has(type) && !services_only;

export type ReadEnvelope = Envelope & { occurredAt: Date };

/** Throws when the bytes are not an event. */
export const readEnvelope = (data: Uint8Array): ReadEnvelope => check(Envelope.decode(data));

/** All events that a message tells of. Throws when the bytes are not events. */
export function readEnvelopes(data: Uint8Array): ReadEnvelope[] {
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

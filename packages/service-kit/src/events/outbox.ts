import { randomUUID } from 'node:crypto';
import type { EventDefinition, EventType } from '@sabia/protos/events/define-event';
import type { Transaction } from '../postgres/database';
import { idFrom, momentOf } from '../postgres/partitions/time-in-ids';
import { encodeAlso, gatherLive } from './outbox-entry';
import type { OutboxEntry } from './outbox-entry';
import { traceHeaders } from '../trace-context';
import type { TraceHeaders } from '../trace-context';

export interface EventAttributes {
  accountId: number;
  /** A new id unless given. */
  id?: string;
  version?: number;
  /** Now unless given. */
  occurredAt?: Date;
  /** The trace that led to the event; that of the current request unless given. */
  trace?: TraceHeaders;
  /** For an event that is told again: the account is not told a second time. */
  servicesOnly?: boolean;
}

/** An event ready to be stored. Built by `outgoingEvent`, so that its type and its payload belong together. */
export interface OutgoingEvent extends EventAttributes {
  type: EventType;
  payload: Uint8Array;
}

export function outgoingEvent<M>(
  definition: EventDefinition<EventType, M>,
  message: M,
  attributes: EventAttributes,
): OutgoingEvent {
  const { accountId, id, version, occurredAt, trace, servicesOnly } = attributes;
  return {
    type: definition.type,
    payload: definition.encode(message),
    accountId,
    id,
    version,
    occurredAt,
    trace,
    servicesOnly,
  };
}

export interface Outbox {
  /** Adds the events to the transaction; the relay is poked after the commit. */
  write(tx: Transaction, events: OutgoingEvent[]): Promise<void>;
  /** Needed after a statement that contains outboxInsert. */
  poke(): void;
}

export interface OutboxOptions {
  /** Tells the relay that there are events to publish. */
  poke: () => void;
  now?: () => Date;
}

/** NATS refuses messages above 1 MiB; an event that can never be published must not be written to the outbox. */
const maxPayloadBytes = 512 * 1024;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const columns = 'id, type, version, account_id, occurred_at, traceparent, tracestate, payload, services_only, also';

export function createOutbox({ poke, now }: OutboxOptions): Outbox {
  const { text } = outboxInsert([], 1, now);
  return {
    async write(tx, events) {
      if (events.length === 0) {
        return;
      }
      await tx.query(text, outboxInsert(events, 1, now).values, { name: 'outbox-write' });
      tx.afterCommit(poke);
    },
    poke,
  };
}

/**
 * The INSERT alone, with parameters from `$firstParameter` on, so that a service can combine it in one statement with the
 * change that the event reports: `WITH call AS (INSERT …), event AS (<text>) SELECT …`. Call `outbox.poke()` afterwards.
 */
export function outboxInsert(
  events: OutgoingEvent[],
  firstParameter = 1,
  now: () => Date = () => new Date(),
): { text: string; values: unknown[] } {
  const entries = gatherLive(toEntries(events, now));
  const of = <V>(read: (entry: OutboxEntry) => V): V[] => entries.map(read);
  const $ = (offset: number): string => `$${firstParameter + offset}`;
  return {
    // Ordered by ordinality, because positions are assigned in the order of the rows. The condition is always true: it gives the
    // transaction its id before its first position, which is how the relay knows that a position stays without an event.
    text:
      `INSERT INTO outbox (${columns}) ` +
      `SELECT e.id, e.type, e.version, e.account_id, e.occurred_at, e.traceparent, e.tracestate, e.payload, e.services_only, e.also ` +
      `FROM unnest(${$(0)}::uuid[], ${$(1)}::text[], ${$(2)}::integer[], ${$(3)}::bigint[], ${$(4)}::timestamptz[], ${$(5)}::bytea[], ` +
      `${$(6)}::text[], ${$(7)}::text[], ${$(8)}::boolean[], ${$(9)}::bytea[]) ` +
      `WITH ORDINALITY AS e (id, type, version, account_id, occurred_at, payload, traceparent, tracestate, services_only, also, nth) ` +
      `WHERE pg_current_xact_id() IS NOT NULL ORDER BY e.nth`,
    values: [
      of(({ id }) => id),
      of(({ type }) => type),
      of(({ version }) => version),
      of(({ accountId }) => accountId),
      of(({ occurredAt }) => occurredAt.toISOString()),
      of(({ payload }) => payload),
      of(({ traceparent }) => traceparent),
      of(({ tracestate }) => tracestate),
      of(({ servicesOnly }) => servicesOnly),
      of(({ also }) => encodeAlso(also)),
    ],
  };
}

function toEntries(events: OutgoingEvent[], now: () => Date): OutboxEntry[] {
  const currentTrace = traceHeaders();
  return events.map((event) => {
    checkSize(event);
    const { type, payload, accountId, version = 1, occurredAt = now(), servicesOnly = false } = event;
    const { traceparent = '', tracestate = '' } = event.trace ?? currentTrace;
    const id = event.id ?? newEventId(occurredAt);
    return { id, type, version, accountId, occurredAt, traceparent, tracestate, payload, servicesOnly, also: [] };
  });
}

function checkSize({ type, payload }: OutgoingEvent): void {
  if (payload.byteLength > maxPayloadBytes) {
    throw new RangeError(`event ${type} of ${payload.byteLength} bytes is too large to publish`);
  }
}

/** A version 7 uuid: ids of the same time are neighbours in an index, which keeps a large inbox cheap. */
export function newEventId(now: Date = new Date()): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  // Everything after the version comes from a random uuid.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/**
 * The id of an event that happens once to its subject, such as the end of a call. Publishing it again yields the same id, so
 * that no consumer handles it twice. The time comes from the subject's id, which is a version 7 uuid itself.
 */
export function eventIdOf({ type }: Pick<EventDefinition, 'type'>, subjectId: string): string {
  return idFrom(momentOf(subjectId), `${type} ${subjectId.toLowerCase()}`);
}

export function isEventId(text: string): boolean {
  return uuidPattern.test(text);
}

import type { Transaction } from '../postgres/database';
import { traceHeaders } from '../trace-context';
import type { TraceHeaders } from '../trace-context';
import { newEventId } from './event-id';

export interface OutgoingEvent {
  /** `<service>.<noun>.<verb>`, e.g. 'identity.account.created'. */
  type: string;
  accountId: number;
  /** An encoded message of some events.proto. */
  payload: Uint8Array;
  id?: string;
  version?: number;
  occurredAt?: Date;
  /** What led to it, when that is not the current request: a call that began long ago, or one of many that are written together. */
  trace?: TraceHeaders;
}

export interface Outbox {
  /** Adds the events to the transaction; once it is committed the relay is told. */
  write(tx: Transaction, events: OutgoingEvent[]): Promise<void>;
  /** For whoever inserts with outboxInsert in a statement of its own. */
  poke(): void;
}

export interface OutboxOptions {
  /** Tells the relay that there is something to publish. */
  poke: () => void;
  now?: () => Date;
}

const typePattern = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/;
/** NATS refuses messages above 1 MiB; an event that can never be published must not get into the outbox. */
const maxPayloadBytes = 512 * 1024;
const columns = 'id, type, version, account_id, occurred_at, traceparent, tracestate, payload';

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
 * The INSERT on its own, with parameters from `$firstParameter` on, so that a service can make it one statement with the
 * change the event tells of: `WITH call AS (INSERT …), event AS (<text>) SELECT …`. Call `outbox.poke()` afterwards.
 */
export function outboxInsert(
  events: OutgoingEvent[],
  firstParameter = 1,
  now: () => Date = () => new Date(),
): { text: string; values: unknown[] } {
  const currentTrace = traceHeaders();
  const ids: string[] = [];
  const types: string[] = [];
  const versions: number[] = [];
  const accountIds: number[] = [];
  const times: string[] = [];
  const payloads: Uint8Array[] = [];
  const traceparents: string[] = [];
  const tracestates: string[] = [];
  for (const event of events) {
    checkEvent(event);
    const at = event.occurredAt ?? now();
    ids.push(event.id ?? newEventId(at));
    types.push(event.type);
    versions.push(event.version ?? 1);
    accountIds.push(event.accountId);
    times.push(at.toISOString());
    payloads.push(event.payload);
    const { traceparent = '', tracestate = '' } = event.trace ?? currentTrace;
    traceparents.push(traceparent);
    tracestates.push(tracestate);
  }
  const $ = (offset: number): string => `$${firstParameter + offset}`;
  return {
    // The ordinality keeps the order of the array: positions are given out in the order of the rows.
    text:
      `INSERT INTO outbox (${columns}) ` +
      `SELECT e.id, e.type, e.version, e.account_id, e.occurred_at, e.traceparent, e.tracestate, e.payload ` +
      `FROM unnest(${$(0)}::uuid[], ${$(1)}::text[], ${$(2)}::integer[], ${$(3)}::bigint[], ${$(4)}::timestamptz[], ${$(5)}::bytea[], ` +
      `${$(6)}::text[], ${$(7)}::text[]) ` +
      `WITH ORDINALITY AS e (id, type, version, account_id, occurred_at, payload, traceparent, tracestate, nth) ORDER BY e.nth`,
    values: [ids, types, versions, accountIds, times, payloads, traceparents, tracestates],
  };
}

function checkEvent({ type, payload }: OutgoingEvent): void {
  if (!typePattern.test(type)) {
    throw new TypeError(`"${type}" is no event type: <service>.<noun>.<verb> in lower case`);
  }
  if (payload.byteLength > maxPayloadBytes) {
    throw new RangeError(`event ${type} of ${payload.byteLength} bytes is too large to publish`);
  }
}

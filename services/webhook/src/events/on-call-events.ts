import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import type { PutOff } from '@sabia/service-kit/events/consumer/retry-later';
import { newEventId } from '@sabia/service-kit/events/outbox';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { sampledOnly } from '@sabia/service-kit/trace-context';
import { parseObject } from '../domain/json-object';
import { whyNotSent } from '../domain/match';
import { writePayload } from '../domain/payload';
import type { CallEvent } from '../domain/payload';
import type { Receiver } from '../domain/receiver';
import type { ToldDelivery } from '../domain/told-delivery';
import { recallCalls, rememberCalls } from '../storage/calls';
import type { KnownCall } from '../storage/calls';
import { insertDeliveries, insertUnmatchedEvents } from '../storage/deliveries';
import type { HandOver, NewDelivery, UnmatchedEvent } from '../storage/deliveries';
import { deliveryIdOf } from '../storage/delivery-id';
import { findReceivers } from '../storage/receivers';
import type { MatchingReceiver } from '../storage/receivers';
import { deliveriesRecorded } from './published';
import { createExpectedRows } from './expected-rows';
import { handledEvents, readCallEvent } from './read-call-event';
import type { HandledEvent, ReadEvent } from './read-call-event';
import type { UnsentNotes } from './unsent-notes';

/** The part that sends deliveries. */
export interface Forwarder {
  /** Resolves when there is room for further deliveries. */
  room(): Promise<void>;
  /** The receivers whose new deliveries it takes over as soon as they are committed. */
  offer(receivers: readonly Receiver[]): HandOver;
  accept(deliveries: readonly NewDelivery[], receivers: readonly Receiver[]): void;
  /** Notes deliveries that wait in the table. */
  leave(deliveries: readonly NewDelivery[], receivers: readonly Receiver[]): void;
}

export interface CallEventsOptions {
  outbox: Outbox;
  log: Logger;
  now: () => Date;
  /** Without one, deliveries wait in the table. */
  forwarder?: Forwarder;
  unsentNotes: UnsentNotes;
}

/** How long a price that overtook the end of its call is put off. */
const patienceMs = 10 * 60 * 1000;
const retryMs = 2_000;

export const callEventsDurable = 'webhook-calls';

/** Events that share a transaction, and the most rows that they may become, unless one event alone becomes more. */
const batchSize = 256;
const mostRows = 2_000;

/** Turns events into deliveries, many in a few statements. One consumer, so that the events of a call keep their order. */
export function callEvents({ outbox, log, now, forwarder, unsentNotes }: CallEventsOptions) {
  const expected = createExpectedRows();

  /** Throws if the events become too many rows: each of them then gets a transaction of its own. */
  function checkCost(cost: number, events: readonly HandledEvent[]): void {
    if (events.length > 1 && cost > 2 * mostRows) {
      throw new Error(`${events.length} events together would become too many rows`);
    }
  }

  async function handleBatch(events: HandledEvent[], tx: Transaction): Promise<PutOff[]> {
    await forwarder?.room();
    const found = await findReceivers(tx, [...new Set(events.map(({ accountId }) => accountId))]);
    const receivers = groupByAccount(found);
    const read = events.filter(({ accountId }) => receivers.has(accountId)).map(readCallEvent);
    for (const { accountId } of events) {
      if (!receivers.has(accountId)) expected.learn(accountId, { rows: 0, compared: 0 });
    }
    if (read.length === 0) {
      return [];
    }
    const at = now();
    await rememberCalls(tx, read.flatMap(toKnownCall), at);

    const callIds = read.flatMap((item) => (item.type === 'call-priced' ? [item.rated.callId] : []));
    const known = await recallCalls(tx, callIds);
    const deliveries: NewDelivery[] = [];
    const unmatched: UnmatchedEvent[] = [];
    const notes = unsentNotes.begin();
    const told: ToldDelivery[] = [];
    const putOff: PutOff[] = [];
    let cost = 0;
    for (const item of read) {
      const event = toCallEvent(item, known);
      if (event === undefined && at.getTime() - item.event.occurredAt.getTime() < patienceMs) {
        putOff.push({ event: item.event, delayMs: retryMs });
        continue;
      }
      if (event === undefined) {
        log.warn({ event: item.event.id }, 'the price of an unknown call is ignored');
        continue;
      }
      const metadata = parseObject(event.call.metadata) ?? {};
      const traceparent = sampledOnly(item.event.trace) ?? null;
      const { accountId } = item.event;
      const compared = receivers.get(accountId) ?? [];
      const before = deliveries.length + unmatched.length;
      for (const receiver of compared) {
        const unsent = whyNotSent(receiver, event.type, metadata);
        if (unsent !== undefined) {
          const { integrationId } = receiver;
          if (notes.add({ integrationId, eventType: event.type, callId: event.call.callId, at, unsent })) {
            const row = rowOf(receiver, event, newEventId(at));
            const reason = unsent.explain();
            unmatched.push({ reason, ...row });
            told.push(toldUnmatched(row, reason, receiver.accountId, at));
          }
        } else if (receiver.settings !== null) {
          const payload = writePayload(event, receiver.settings);
          const id = deliveryIdOf(event.id, receiver.integrationId, at);
          deliveries.push({ payload, traceparent, ...rowOf(receiver, event, id) });
        }
      }
      const rows = deliveries.length + unmatched.length - before;
      cost += expected.learn(accountId, { rows, compared: compared.length });
      checkCost(cost, events);
    }
    const handOver = forwarder?.offer(found);
    const owned = new Set(await insertDeliveries(tx, deliveries, { now: at, handOver }));
    await insertUnmatchedEvents(tx, unmatched, at);
    await outbox.write(tx, deliveriesRecorded(told, at));
    tx.afterCommit(() => {
      notes.commit();
      if (owned.size === deliveries.length) {
        forwarder?.accept(deliveries, found);
        return;
      }
      forwarder?.accept(
        deliveries.filter(({ id }) => owned.has(id)),
        found,
      );
      forwarder?.leave(
        deliveries.filter(({ id }) => !owned.has(id)),
        found,
      );
    });
    return putOff;
  }

  return defineConsumer({
    durable: callEventsDurable,
    events: handledEvents,
    exclusive: true,
    concurrency: 2,
    batchSize,
    weight: { of: expected.of, most: mostRows },
    handleBatch,
  });
}

function groupByAccount(receivers: MatchingReceiver[]): Map<number, MatchingReceiver[]> {
  const groups = new Map<number, MatchingReceiver[]>();
  for (const receiver of receivers) {
    const group = groups.get(receiver.accountId);
    if (group === undefined) {
      groups.set(receiver.accountId, [receiver]);
    } else {
      group.push(receiver);
    }
  }
  return groups;
}

function toKnownCall(item: ReadEvent): KnownCall[] {
  const { accountId } = item.event;
  if (item.type === 'channel-hangup') {
    return [{ accountId, stage: 'ended', call: item.call }];
  }
  return item.type === 'call-recorded' ? [{ accountId, stage: 'recorded', call: item.call }] : [];
}

/** Undefined for the price of a call that is not known yet. */
function toCallEvent(item: ReadEvent, known: Awaited<ReturnType<typeof recallCalls>>): CallEvent | undefined {
  const { id, occurredAt } = item.event;
  if (item.type !== 'call-priced') {
    return { id, occurredAt, type: item.type, call: item.call };
  }
  const call = known.get(item.rated.callId);
  return call && { id, occurredAt, type: item.type, call, price: item.rated };
}

const rowOf = ({ integrationId }: MatchingReceiver, event: CallEvent, id: string) => ({
  id,
  integrationId,
  eventId: event.id,
  eventType: event.type,
  callId: event.call.callId,
});

const toldUnmatched = (row: ReturnType<typeof rowOf>, reason: string, accountId: number, at: Date): ToldDelivery => ({
  ...{ accountId, deliveryId: row.id, integrationId: row.integrationId, eventType: row.eventType, callId: row.callId },
  ...{ status: 'not-matched', reason, test: false, at },
});

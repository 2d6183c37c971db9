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
import { findReceivers } from '../storage/receivers';
import type { MatchingReceiver } from '../storage/receivers';
import { deliveriesRecorded } from './published';
import { handledEvents, readCallEvent } from './read-call-event';
import type { HandledEvent, ReadEvent } from './read-call-event';

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
}

/** How long a price that overtook the end of its call is put off. */
const patienceMs = 10 * 60 * 1000;
const retryMs = 2_000;

export const callEventsDurable = 'webhook-calls';

/** Events that share a transaction. */
const batchSize = 256;

/** Turns events into deliveries, many in a few statements. One consumer, so that the events of a call keep their order. */
export function callEvents({ outbox, log, now, forwarder }: CallEventsOptions) {
  async function handleBatch(events: HandledEvent[], tx: Transaction): Promise<PutOff[]> {
    await forwarder?.room();
    const found = await findReceivers(tx, [...new Set(events.map(({ accountId }) => accountId))]);
    const receivers = groupByAccount(found);
    const read = events.filter(({ accountId }) => receivers.has(accountId)).map(readCallEvent);
    if (read.length === 0) {
      return [];
    }
    const at = now();
    await rememberCalls(tx, read.flatMap(toKnownCall), at);

    const callIds = read.flatMap((item) => (item.type === 'call-priced' ? [item.rated.callId] : []));
    const known = await recallCalls(tx, callIds);
    const deliveries: NewDelivery[] = [];
    const unmatched: UnmatchedEvent[] = [];
    const told: ToldDelivery[] = [];
    const putOff: PutOff[] = [];
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
      for (const receiver of receivers.get(item.event.accountId) ?? []) {
        const row = rowOf(receiver, event, at);
        const reason = whyNotSent(receiver, event.type, metadata);
        if (reason !== undefined) {
          unmatched.push({ ...row, reason });
          told.push(toldUnmatched(row, reason, receiver.accountId, at));
        } else if (receiver.settings !== null) {
          deliveries.push({ ...row, payload: writePayload(event, receiver.settings), traceparent });
        }
      }
    }
    const handOver = forwarder?.offer(found);
    const owned = new Set(await insertDeliveries(tx, deliveries, { now: at, handOver }));
    await insertUnmatchedEvents(tx, unmatched, at);
    await outbox.write(tx, deliveriesRecorded(told, at));
    tx.afterCommit(() => {
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

const rowOf = ({ integrationId }: MatchingReceiver, event: CallEvent, now: Date) => ({
  id: newEventId(now),
  integrationId,
  eventId: event.id,
  eventType: event.type,
  callId: event.call.callId,
});

const toldUnmatched = (row: ReturnType<typeof rowOf>, reason: string, accountId: number, at: Date): ToldDelivery => ({
  ...{ accountId, deliveryId: row.id, integrationId: row.integrationId, eventType: row.eventType, callId: row.callId },
  ...{ status: 'not-matched', reason, test: false, at },
});

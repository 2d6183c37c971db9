import { RetryLater } from '@sabia/service-kit/events/consumer';
import type { ConsumerDefinition, ReceivedEvent } from '@sabia/service-kit/events/consumer';
import { newEventId } from '@sabia/service-kit/events/event-id';
import type { Logger } from '@sabia/service-kit/logging';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { Integration } from '../domain/integration';
import { parseObject } from '../domain/json-object';
import type { JsonObject } from '../domain/json-object';
import { whyNotSent } from '../domain/match';
import { writePayload } from '../domain/payload';
import type { CallEvent } from '../domain/payload';
import { recallCalls, rememberCalls } from '../storage/calls';
import type { KnownCall } from '../storage/calls';
import { insertDeliveries, insertUnmatchedEvents } from '../storage/deliveries';
import type { NewDelivery, UnmatchedEvent } from '../storage/deliveries';
import { findWebhooks } from '../storage/integrations';
import { callEventTypes, readCallEvent } from './read-call-event';
import type { ReadEvent } from './read-call-event';

export interface CallEventsOptions {
  log: Logger;
  now: () => Date;
  /** There is something to send. */
  poke: () => void;
}

/** A price may overtake the end of its call, but not by much. */
const patienceMs = 10 * 60 * 1000;
const retryMs = 2_000;

/** From events to deliveries, many in a few statements. One consumer, so that the events of a call keep their order. */
export function callEvents({ log, now, poke }: CallEventsOptions) {
  async function handleBatch(events: ReceivedEvent[], tx: Transaction): Promise<void> {
    const webhooks = groupByAccount(await findWebhooks(tx, [...new Set(events.map(({ accountId }) => accountId))]));
    const read = events.filter(({ accountId }) => webhooks.has(accountId)).map(readCallEvent);
    if (read.length === 0) {
      return;
    }
    const at = now();
    await rememberCalls(tx, read.flatMap(toKnownCall), at);

    const callIds = read.flatMap((item) => (item.type === 'call-priced' ? [item.rated.callId] : []));
    const known = await recallCalls(tx, callIds);
    const deliveries: NewDelivery[] = [];
    const unmatched: UnmatchedEvent[] = [];
    for (const item of read) {
      const event = toCallEvent(item, known, at);
      if (event === undefined) {
        log.warn({ event: item.event.id }, 'the price of a call that nobody has told of is passed over');
        continue;
      }
      const metadata = parseObject(event.call.metadata) ?? {};
      for (const integration of webhooks.get(item.event.accountId) ?? []) {
        address(integration, event, metadata, at, deliveries, unmatched);
      }
    }
    await insertDeliveries(tx, deliveries, { now: at });
    await insertUnmatchedEvents(tx, unmatched, at);
    tx.afterCommit(poke);
  }

  return { durable: 'webhook-calls', types: callEventTypes, concurrency: 2, handleBatch } satisfies ConsumerDefinition;
}

function groupByAccount(integrations: Integration[]): Map<number, Integration[]> {
  const groups = new Map<number, Integration[]>();
  for (const integration of integrations) {
    const group = groups.get(integration.accountId);
    if (group === undefined) {
      groups.set(integration.accountId, [integration]);
    } else {
      group.push(integration);
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

function toCallEvent(
  item: ReadEvent,
  known: Awaited<ReturnType<typeof recallCalls>>,
  now: Date,
): CallEvent | undefined {
  const { id, occurredAt } = item.event;
  if (item.type !== 'call-priced') {
    return { id, occurredAt, type: item.type, call: item.call };
  }
  const call = known.get(item.rated.callId);
  if (call !== undefined) {
    return { id, occurredAt, type: item.type, call, price: item.rated };
  }
  if (now.getTime() - occurredAt.getTime() < patienceMs) {
    throw new RetryLater(retryMs);
  }
  return undefined;
}

function address(
  integration: Integration,
  event: CallEvent,
  metadata: JsonObject,
  now: Date,
  deliveries: NewDelivery[],
  unmatched: UnmatchedEvent[],
): void {
  const row = {
    id: newEventId(now),
    integrationId: integration.id,
    eventId: event.id,
    eventType: event.type,
    callId: event.call.callId,
  };
  const reason = whyNotSent(integration, event.type, metadata);
  if (reason !== undefined) {
    unmatched.push({ ...row, reason });
  } else if (integration.settings !== null) {
    deliveries.push({ ...row, payload: writePayload(event, integration.settings.version) });
  }
}

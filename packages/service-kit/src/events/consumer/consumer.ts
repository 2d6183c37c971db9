import { metrics, trace } from '@opentelemetry/api';
import type { Msg } from 'nats';
import { atMost } from '../../work/at-most';
import type { BatchConsumer, ConsumerDefinition, ConsumerParts } from './definition';
import { createConsumerMetrics } from './metrics';
import { createDelivery, toEventDeliveries } from './delivery';
import type { Delivery, EventDelivery, EventDeliveryOptions } from './delivery';
import { onlyForHeader } from '../envelope';
import { createEventScope } from './event-scope';
import { createFailures } from './failures';
import { createHeldMessages } from './held-messages';
import { createInbox } from './inbox';
import { createInboxCleaner } from './inbox-cleaner';
import { createTurns } from '../turns';
import { partsOf } from './parts';
import type { Part } from './parts';
import { createPatience } from './patience';
import { publishAlone } from './publish-alone';
import { ackWaitMs, createPulling } from './pulling';
import { createEffectWorker, createTransactionalWorker, oneByOne, together } from './workers';
import type { Worker, WorkerParts } from './workers';

export type ConsumerOptions = ConsumerDefinition & ConsumerParts;

export interface Consumer {
  /** Returns immediately, also while NATS is away. */
  start(): void;
  /** Lets running handlers finish within the grace period; waiting events go back to JetStream. */
  stop(graceMs?: number): Promise<void>;
}

const second = 1_000;
const minute = 60 * second;

const defaults = {
  maxDeliver: 8,
  backoffMs: [250, second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute],
  timeoutMs: 30 * second,
  batchSize: 64,
};

const stopGraceMs = 10 * second;
const flushLimitMs = second;
/** A claim outlives the longest effect by this much. */
const leaseMarginMs = 30 * second;

export function createConsumer(options: ConsumerOptions): Consumer {
  const { durable, events, database, nats, log, timeoutMs = defaults.timeoutMs, concurrency = 1 } = options;
  const batchSize = 'effect' in options ? 1 : (options.batchSize ?? defaults.batchSize);
  const capacity = Math.max(2 * batchSize * concurrency, 16);

  const ending = new AbortController();
  /** Messages that are not settled. */
  const held = createHeldMessages(capacity);
  const definitions = new Map(events.map((definition) => [definition.type, definition]));
  const types = [...definitions.keys()];
  const parts = partsOf({ ...options, types });
  let keepAlive: NodeJS.Timeout | undefined;

  const inbox = createInbox(database, durable);
  const cleaner = createInboxCleaner({ database, inbox, log, now: options.now });
  const patience = createPatience(ending.signal);
  const consumerMetrics = createConsumerMetrics(options.telemetry?.meter ?? metrics.getMeter('sabia'), durable, types);
  const failures = createFailures({
    durable,
    maxDeliver: options.maxDeliver ?? defaults.maxDeliver,
    backoffMs: options.backoffMs ?? defaults.backoffMs,
    inbox,
    nats,
    log,
    metrics: consumerMetrics,
    patience,
  });
  const tracer = options.telemetry?.tracer ?? trace.getTracer('sabia');
  const worker = createWorker(options, timeoutMs, {
    database,
    inbox,
    scope: createEventScope(durable, tracer, timeoutMs, ending.signal),
    failures,
    patience,
    metrics: consumerMetrics,
    ending: ending.signal,
    now: options.now ?? (() => new Date()),
  });
  const turns = createTurns<EventDelivery>({
    workers: concurrency,
    batchSize,
    keyOf: ({ event }) => event.accountId,
    ...('handleBatch' in options ? weightsOf(options) : {}),
    process: worker,
  });

  const pullMore = (): void => {
    if (held.events <= capacity / 2) {
      pulling.more();
    }
  };
  const onSettled = (message: Delivery): void => {
    held.remove(message);
    pullMore();
  };
  const reading: EventDeliveryOptions = {
    definitions,
    publishAlone: (event) => publishAlone(nats, durable, event),
    onEventSettled() {
      held.removeEvent();
      pullMore();
    },
  };

  const receive = (message: Msg, part: Part): void => {
    const delivery = createDelivery(message, onSettled);
    held.add(delivery, part);
    const onlyFor = message.headers?.get(onlyForHeader) ?? '';
    if (onlyFor !== '' && onlyFor !== durable) {
      delivery.ack();
      return;
    }
    try {
      const events = toEventDeliveries(delivery, reading);
      held.addEvents(events.length);
      if (events.length === 0) {
        delivery.ack();
      }
      events.forEach((event) => turns.push(event));
    } catch (error) {
      void failures.bury(delivery, error instanceof Error ? error.message : String(error));
    }
  };

  const pulling = createPulling({
    ...{ durable, parts, nats, log },
    databaseUrl: options.exclusive === true ? lockUrlOf(options) : undefined,
    room: () => held.room(),
    onMessage: receive,
    async giveBack(part) {
      const isOfPart = ({ carrier }: EventDelivery): boolean => held.partOf(carrier) === part;
      const waiting = turns.clear(isOfPart);
      waiting.forEach((delivery) => delivery.retry());
      await turns.underway(isOfPart);
      return waiting.at(-1)?.carrier.message;
    },
  });

  return {
    start() {
      keepAlive ??= setInterval(() => held.stillWorking(), ackWaitMs / 3).unref();
      cleaner.start();
      pulling.start();
    },
    async stop(graceMs = stopGraceMs) {
      const force = setTimeout(() => ending.abort(new Error('the consumer must end now')), graceMs);
      await pulling.stop();
      turns.clear().forEach((delivery) => delivery.retry());
      await turns.underway();
      clearTimeout(force);
      clearInterval(keepAlive);
      await cleaner.stop();
      if (nats.connected) {
        await atMost(flushLimitMs, (await nats.connection()).flush());
      }
    },
  };
}

function lockUrlOf({ databaseUrl }: ConsumerParts): string {
  if (databaseUrl === undefined) {
    throw new TypeError('an exclusive consumer needs the URL of its database');
  }
  return databaseUrl;
}

const weightsOf = ({ weight }: BatchConsumer) => ({
  weightOf: ({ event }: EventDelivery): number => weight?.of(event.accountId) ?? 1,
  mostWeight: weight?.most,
});

function createWorker(definition: ConsumerDefinition, timeoutMs: number, parts: WorkerParts): Worker {
  if ('effect' in definition) {
    return createEffectWorker(parts, timeoutMs + leaseMarginMs, definition.effect);
  }
  return createTransactionalWorker(
    parts,
    'handleBatch' in definition ? together(definition.handleBatch) : oneByOne(definition.handle),
  );
}

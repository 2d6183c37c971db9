import { metrics, trace } from '@opentelemetry/api';
import type { Msg } from 'nats';
import { atMost } from '../../work/at-most';
import type { BatchConsumer, ConsumerDefinition, ConsumerParts } from './definition';
import { createConsumerMetrics } from './metrics';
import { createDelivery, toEventDelivery } from './delivery';
import type { Delivery, EventDelivery } from './delivery';
import { ensureDurable } from '../nats/durable';
import { onlyForHeader } from '../envelope';
import { createEventScope } from './event-scope';
import { createFailures } from './failures';
import { createInbox } from './inbox';
import { createInboxCleaner } from './inbox-cleaner';
import { createTurns } from '../turns';
import { becomeLeader } from './leadership';
import type { Term } from './leadership';
import { whenConnected } from '../nats/connection';
import { createPatience } from './patience';
import { createPuller } from './puller';
import type { Puller } from './puller';
import { ensureServiceStreams } from '../nats/streams';
import { createWakeup } from '../../work/wakeup';
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

const ackWaitMs = 30 * second;
/** High, because events that wait for a retry count too; memory is bounded by the capacity instead. */
const maxAckPending = 20_000;
const stopGraceMs = 10 * second;
const pauseMs = second;
const flushLimitMs = second;
/** How long NATS may be away before an exclusive consumer gives up its lock. */
const longestAbsenceMs = 3 * second;
/** A claim outlives the longest effect by this much. */
const leaseMarginMs = 30 * second;

export function createConsumer(options: ConsumerOptions): Consumer {
  const { durable, events, database, nats, log, timeoutMs = defaults.timeoutMs, concurrency = 1 } = options;
  const batchSize = 'effect' in options ? 1 : (options.batchSize ?? defaults.batchSize);
  const capacity = Math.max(2 * batchSize * concurrency, 16);

  const stopping = new AbortController();
  const ending = new AbortController();
  const held = new Set<Delivery>();
  const wakeup = createWakeup();
  const definitions = new Map(events.map((definition) => [definition.type, definition]));
  const types = [...definitions.keys()];
  let puller: Puller | undefined;
  let running: Promise<void> | undefined;
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

  const onSettled = (delivery: Delivery): void => {
    held.delete(delivery);
    if (held.size <= capacity / 2) {
      puller?.more();
    }
  };

  const receive = (message: Msg): void => {
    const delivery = createDelivery(message, onSettled);
    held.add(delivery);
    if (stopping.signal.aborted) {
      delivery.retry();
      return;
    }
    const onlyFor = message.headers?.get(onlyForHeader) ?? '';
    if (onlyFor !== '' && onlyFor !== durable) {
      delivery.ack();
      return;
    }
    try {
      const eventDelivery = toEventDelivery(delivery, definitions);
      if (eventDelivery === undefined) {
        delivery.ack();
      } else {
        turns.push(eventDelivery);
      }
    } catch (error) {
      void failures.bury(delivery, error instanceof Error ? error.message : String(error));
    }
  };

  const pullInTurn = async (): Promise<void> => {
    if (options.exclusive !== true) {
      await pullUntilBroken();
      return;
    }
    if (options.databaseUrl === undefined) {
      throw new TypeError('an exclusive consumer needs the URL of its database');
    }
    // A replica that is cut off from NATS must not hold the lock.
    await whenConnected(nats, stopping.signal);
    const term = await becomeLeader(options.databaseUrl, durable, stopping.signal);
    try {
      await pullUntilBroken(term);
    } finally {
      // The lock is held until running handlers have finished: the next replica may get later events of the same call.
      turns.clear().forEach((delivery) => delivery.retry());
      await turns.idle();
      await term.resign();
    }
  };

  const pullUntilBroken = async (term?: Term): Promise<void> => {
    const limits = term === undefined ? [] : [AbortSignal.timeout(longestAbsenceMs)];
    const connection = await whenConnected(nats, AbortSignal.any([stopping.signal, ...limits]));
    await ensureServiceStreams(connection, nats.streamReplicas);
    await ensureDurable(connection, { durable, types, ackWaitMs, maxAckPending });
    let unfollow = (): void => undefined;
    let onStop = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        onStop = resolve;
        stopping.signal.addEventListener('abort', onStop);
        term?.onLost(reject);
        unfollow = nats.onStatus((connected) => connected || reject(new Error('NATS is away')));
        puller = createPuller({
          connection,
          durable,
          room: () => capacity - held.size,
          onMessage: receive,
          onFailure: reject,
        });
      });
    } finally {
      stopping.signal.removeEventListener('abort', onStop);
      unfollow();
      await puller?.close();
      puller = undefined;
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await pullInTurn();
      } catch (error) {
        if (!stopping.signal.aborted) {
          log.warn({ err: error, consumer: durable }, 'the consumer was interrupted, trying again');
          await wakeup.sleep(pauseMs);
        }
      }
    }
  };

  return {
    start() {
      keepAlive ??= setInterval(() => held.forEach((delivery) => delivery.stillWorking()), ackWaitMs / 3).unref();
      cleaner.start();
      running ??= run();
    },
    async stop(graceMs = stopGraceMs) {
      stopping.abort(new Error('the consumer is stopping'));
      wakeup.poke();
      const force = setTimeout(() => ending.abort(new Error('the consumer must end now')), graceMs);
      await running;
      turns.clear().forEach((delivery) => delivery.retry());
      await turns.idle();
      clearTimeout(force);
      clearInterval(keepAlive);
      await cleaner.stop();
      if (nats.connected) {
        await atMost(flushLimitMs, (await nats.connection()).flush());
      }
    },
  };
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

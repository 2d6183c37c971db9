import { status } from '@grpc/grpc-js';
import type { Msg } from 'nats';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError } from '../../errors';
import type { Logger } from '../../logging';
import { isDatabaseUnavailable } from '../../postgres/errors';
import type { ConsumerMetrics } from './metrics';
import { storeDeadLetter } from './dead-letters';
import type { Delivery, EventDelivery } from './delivery';
import type { Inbox } from './inbox';
import type { Nats } from '../nats/connection';
import type { Patience } from './patience';
import { RetryLater } from './retry-later';

export interface FailuresOptions {
  durable: string;
  maxDeliver: number;
  backoffMs: number[];
  inbox: Inbox;
  nats: Nats;
  log: Logger;
  metrics: ConsumerMetrics;
  patience: Patience;
}

export interface Failures {
  /** Decides between a retry and a dead letter for an event whose handler has failed. */
  settle(delivery: EventDelivery, error: unknown): Promise<void>;
  /** Delays the event at the request of its handler. */
  putOff(delivery: EventDelivery, delayMs: number, reason?: unknown): void;
  /** Makes a message that is not an event a dead letter. */
  bury(delivery: Delivery, reason: string): Promise<void>;
}

/** The delay after a temporary failure: another server is away, or two transactions conflicted. */
const passingDelayMs = 1_000;
/** The delay when the dead-letter stream itself cannot be reached. */
const burialRetryMs = 5_000;

export function createFailures(options: FailuresOptions): Failures {
  const { durable, maxDeliver, backoffMs, inbox, nats, log, metrics, patience } = options;

  const store = async (
    delivery: Pick<Delivery, 'streamSequence' | 'retry'>,
    message: Pick<Msg, 'subject' | 'data'>,
    letter: { id: string; reason: string; tries: number },
  ): Promise<boolean> => {
    try {
      await storeDeadLetter(await nats.connection(), durable, message, delivery.streamSequence, letter);
      return true;
    } catch (error) {
      log.warn({ err: error }, 'a dead letter could not be stored, trying again');
      delivery.retry(burialRetryMs);
      return false;
    }
  };

  const putOff: Failures['putOff'] = (delivery, delay, reason) => {
    const { id: eventId, type } = delivery.event;
    log.info({ consumer: durable, eventId, type, err: reason, delay }, 'an event is put off');
    metrics.count(type, 'retried_later');
    delivery.postpone(delay);
  };

  return {
    putOff,

    async settle(delivery, error) {
      const { event } = delivery;
      const about = { consumer: durable, eventId: event.id, type: event.type };
      const delay = error instanceof RetryLater ? error.delayMs : isPassing(error) ? passingDelayMs : undefined;
      if (delay !== undefined) {
        await patience.throughOutage(() => inbox.release(event.id));
        putOff(delivery, delay, error);
        return;
      }
      const tries = await patience.throughOutage(() => inbox.fail(event.id));
      if (tries < maxDeliver) {
        const wait = backoffMs[Math.min(tries, backoffMs.length) - 1] ?? 0;
        log.warn({ ...about, err: error, tries, wait }, 'an event could not be handled');
        metrics.count(event.type, 'failed');
        delivery.postpone(wait);
        return;
      }
      if (await store(delivery, delivery.alone(), { id: event.id, reason: reasonOf(error), tries })) {
        log.error({ ...about, err: error, tries }, 'an event was given up and is now a dead letter');
        metrics.count(event.type, 'dead');
        await patience.throughOutage(() => inbox.forget(undefined, [event.id]));
        delivery.giveUp();
      }
    },

    async bury(delivery, reason) {
      if (await store(delivery, delivery.message, { id: String(delivery.streamSequence), reason, tries: 1 })) {
        log.error(
          { consumer: durable, sequence: delivery.streamSequence, reason },
          'a message that is not an event is now a dead letter',
        );
        metrics.count('unreadable', 'dead');
        delivery.giveUp();
      }
    },
  };
}

/** Whether the failure is temporary and not caused by the event. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) {
    return error.kind === ErrorKind.UNAVAILABLE;
  }
  if (error instanceof TransportError) {
    return error.grpcCode === status.UNAVAILABLE;
  }
  return isDatabaseUnavailable(error);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

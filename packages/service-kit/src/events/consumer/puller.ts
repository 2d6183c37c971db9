import { createInbox, nanos } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { atMost } from '../../work/at-most';
import { eventStream } from '../nats/topology';

export interface PullerOptions {
  connection: NatsConnection;
  durable: string;
  /** How many more messages the consumer can take now. */
  room: () => number;
  onMessage: (message: Msg) => void;
  /** Called once with the reason when the puller can no longer be used. */
  onFailure: (error: Error) => void;
}

export interface Puller {
  /** Asks for messages after room has become free. */
  more(): void;
  /** Asks for no more messages; resolves when those that JetStream has already sent have been handed on. */
  close(): Promise<void>;
}

const requestMs = 30_000;
const heartbeatMs = 5_000;
const drainLimitMs = 1_000;

export const nextSubject = (durable: string): string => `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${durable}`;

/**
 * Asks JetStream for as many messages as there is room for, one request at a time. Built on core NATS: the consumers of the
 * client library either ask for more regardless of the messages in progress, or leave a listener behind per request.
 */
export function createPuller({ connection, durable, room, onMessage, onFailure }: PullerOptions): Puller {
  const inbox = createInbox();
  let asked = 0;
  let heard = Date.now();
  let closed = false;

  const ask = (): void => {
    const batch = room();
    if (closed || asked > 0 || batch <= 0) {
      return;
    }
    asked = batch;
    heard = Date.now();
    const request = { batch, expires: nanos(requestMs), idle_heartbeat: nanos(heartbeatMs) };
    try {
      connection.publish(nextSubject(durable), Buffer.from(JSON.stringify(request)), { reply: inbox });
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    clearInterval(watchdog);
    // A message that arrives after the unsubscription would be delivered again only after the acknowledgement timeout.
    await atMost(drainLimitMs, subscription.drain());
    subscription.unsubscribe();
  };

  const fail = (reason: string): void => {
    if (!closed) {
      void close();
      onFailure(new Error(reason));
    }
  };

  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => {
      if (error !== null) {
        fail(error.message);
        return;
      }
      heard = Date.now();
      const end = readStatus(message);
      if (end === undefined) {
        asked--;
        onMessage(message);
      } else if (end === 'over') {
        asked = 0;
      } else if (end !== 'heartbeat') {
        fail(end.reason);
      }
      ask();
    },
  });

  const watchdog = setInterval(() => {
    if (asked > 0 && Date.now() - heard > 2 * heartbeatMs + 1_000) {
      fail('JetStream does not answer');
    }
  }, 1_000).unref();

  ask();
  return { more: ask, close };
}

type PullStatus = 'heartbeat' | 'over' | { reason: string };

/** Undefined for a message of the stream; status messages have no reply subject. */
export function readStatus({ headers, reply, data }: Pick<Msg, 'headers' | 'reply' | 'data'>): PullStatus | undefined {
  if (headers === undefined || headers.code === 0 || (reply !== undefined && reply !== '') || data.length > 0) {
    return undefined;
  }
  if (headers.code === 100) {
    return 'heartbeat';
  }
  if (headers.code === 404 || headers.code === 408) {
    return 'over';
  }
  return { reason: headers.code === 503 ? 'JetStream is away' : `${headers.code} ${headers.description}` };
}

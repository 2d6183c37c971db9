import { createInbox, nanos } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { atMost } from '../at-most';
import { eventStream } from '../nats/topology';

export interface PullerOptions {
  connection: NatsConnection;
  durable: string;
  /** How many more messages the consumer can take now. */
  room: () => number;
  onMessage: (message: Msg) => void;
  /** Called once, with what ended it; open a new one then. */
  onFailure: (error: Error) => void;
}

export interface Puller {
  /** There is room again. */
  more(): void;
  /** Asks for no more; resolves when all that JetStream had already sent has been handed on. */
  close(): Promise<void>;
}

const requestMs = 30_000;
const heartbeatMs = 5_000;
const drainLimitMs = 1_000;

/**
 * Asks JetStream for as many messages as there is room for, one request at a time. Written on core NATS: the client's own
 * consumers either ask for more without regard to what is still being worked on, or leave a listener behind per request.
 */
export function createPuller({ connection, durable, room, onMessage, onFailure }: PullerOptions): Puller {
  const inbox = createInbox();
  const requestSubject = `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${durable}`;
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
      connection.publish(requestSubject, Buffer.from(JSON.stringify(request)), { reply: inbox });
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    clearInterval(watchdog);
    // A message without a taker would be delivered again only after a long while.
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
      fail('JetStream has fallen silent');
    }
  }, 1_000).unref();

  ask();
  return { more: ask, close };
}

type PullStatus = 'heartbeat' | 'over' | { reason: string };

/** Undefined for a message of the stream; only those have a subject to be acknowledged on. */
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

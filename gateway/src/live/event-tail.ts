import { setTimeout as delay } from 'node:timers/promises';
import { readAckSubject } from '@sabia/service-kit/events/consumer/delivery';
import { whenConnected } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { liveStream } from '@sabia/service-kit/events/nats/topology';
import type { Logger } from '@sabia/service-kit/logging';
import { AckPolicy, DeliverPolicy, createInbox, nanos } from 'nats';
import type { Msg, NatsConnection } from 'nats';

export interface TailMessage {
  accountId: number;
  sequence: number;
  data: Uint8Array;
}

/** Follows the new events of all accounts, with one subscription for all streams of this gateway. */
export interface EventTail {
  /** Whether new events are heard. */
  readonly following: boolean;
  /** The sequence of the newest event that went by. */
  readonly position: number;
  start(): void;
  stop(): void;
}

export interface EventTailOptions {
  nats: Nats;
  log: Logger;
  onMessage: (message: TailMessage) => void;
  /** Every later message will be heard. Earlier ones may have been missed. */
  onFollowing: () => void;
}

const HEARTBEAT_MS = 5_000;
const RETRY_MS = 500;
const HEARTBEAT_STATUS = 100;

/** After any doubt whether a message was lost it begins anew; the streams then read what they have missed from the log. */
export function createEventTail({ nats, log, onMessage, onFollowing }: EventTailOptions): EventTail {
  let running: AbortController | undefined;
  /** The run that hears new events. */
  let followed: AbortSignal | undefined;
  let position = 0;

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await follow(await whenConnected(nats, signal), signal);
      } catch (error) {
        if (!signal.aborted) {
          log.warn({ err: error }, 'live events are interrupted, trying again');
          await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
        }
      }
    }
  }

  /** Rejects when messages may have been lost, or when the signal aborts. */
  async function follow(connection: NatsConnection, signal: AbortSignal): Promise<void> {
    await ensureStreams(connection, nats.streamReplicas);
    const manager = await connection.jetstreamManager({ checkAPI: false });
    const inbox = createInbox();
    const broken = new AbortController();
    const fail = (reason: string): void => broken.abort(new Error(reason));
    let heard = Date.now();
    let delivered = 0;
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        heard = Date.now();
        if (error !== null || broken.signal.aborted || signal.aborted) {
          return;
        }
        if (message.headers?.code === HEARTBEAT_STATUS) {
          const last = message.headers.get('Nats-Last-Consumer');
          if (last !== '' && Number(last) !== delivered) fail('the newest events were lost');
          return;
        }
        const { consumerSequence, streamSequence } = readAckSubject(message.reply ?? '');
        if (consumerSequence !== delivered + 1) {
          fail('events were lost');
          return;
        }
        delivered = consumerSequence;
        // Streams that were live before an interruption would take it for the next event and skip what they have missed;
        // they read it from the log after onFollowing.
        if (followed !== signal) {
          return;
        }
        position = streamSequence;
        onMessage({ accountId: accountOf(message), sequence: streamSequence, data: message.data });
      },
    });
    const watch = setInterval(() => {
      if (Date.now() - heard > 3 * HEARTBEAT_MS) fail('NATS fell silent');
    }, HEARTBEAT_MS);
    const unfollow = nats.onStatus((connected) => connected || fail('NATS is away'));
    let consumer: string | undefined;
    try {
      const created = await manager.consumers.add(liveStream, {
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.New,
        deliver_subject: inbox,
        idle_heartbeat: nanos(HEARTBEAT_MS),
        inactive_threshold: nanos(6 * HEARTBEAT_MS),
        mem_storage: true,
        num_replicas: 1,
      });
      consumer = created.name;
      signal.throwIfAborted();
      position = Math.max(position, created.delivered.stream_seq);
      followed = signal;
      onFollowing();
      await aborted(AbortSignal.any([signal, broken.signal]));
    } finally {
      if (followed === signal) followed = undefined;
      clearInterval(watch);
      unfollow();
      subscription.unsubscribe();
      if (consumer !== undefined && nats.connected) {
        manager.consumers.delete(liveStream, consumer).catch(() => undefined);
      }
    }
  }

  return {
    get following() {
      return followed !== undefined;
    },
    get position() {
      return position;
    },
    start() {
      if (running === undefined) {
        running = new AbortController();
        void run(running.signal);
      }
    },
    stop() {
      running?.abort(new Error('nobody follows'));
      running = undefined;
    },
  };
}

/** sabia-live.<account>.<type> */
function accountOf({ subject }: Msg): number {
  const begin = subject.indexOf('.') + 1;
  return Number(subject.slice(begin, subject.indexOf('.', begin)));
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

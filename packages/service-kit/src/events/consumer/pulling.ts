import type { Msg, NatsConnection } from 'nats';
import type { Logger } from '../../logging';
import { atMost } from '../../work/at-most';
import { createWakeup } from '../../work/wakeup';
import { whenConnected } from '../nats/connection';
import type { Nats } from '../nats/connection';
import { ensureDurable } from '../nats/durable';
import { ensureServiceStreams } from '../nats/streams';
import { again } from './delivery';
import { leadParts } from './leadership';
import type { Part } from './parts';
import { createPuller } from './puller';
import type { Puller } from './puller';
import { pullReturned } from './returned-messages';

export interface PullingOptions {
  durable: string;
  parts: readonly Part[];
  nats: Nats;
  /** Given where only one replica at a time may pull a part; the locks for that are taken there. */
  databaseUrl?: string;
  log: Logger;
  /** How many more messages the consumer can take now. */
  room: () => number;
  onMessage: (message: Msg, part: Part) => void;
  /** Waits for what has begun, and returns the rest to JetStream; tells which was the last. */
  giveBack: (part: Part) => Promise<Msg | undefined>;
}

export interface Pulling {
  /** Returns immediately, also while NATS is away. */
  start(): void;
  /** Asks for messages after room has become free. */
  more(): void;
  stop(): Promise<void>;
}

export const ackWaitMs = 30_000;
/** High, because events that wait for a retry count too; memory is bounded by the room instead. */
const maxAckPending = 20_000;
/** What each of several parts asks for, as all of them may ask at the same time: a few have much to give, the others nothing. */
const shareOfRoom = 1 / 4;
const pauseMs = 1_000;
const settleLimitMs = 1_000;

/** Pulls the messages of a consumer, whatever happens to NATS and, where parts are led by one replica, to PostgreSQL. */
export function createPulling(options: PullingOptions): Pulling {
  const { durable, parts, nats, databaseUrl, log, room, onMessage, giveBack } = options;
  const stopping = new AbortController();
  const pullers = new Set<Puller>();
  const wakeup = createWakeup();
  let running: Promise<void> | undefined;

  const logInterruption = (error: unknown): void =>
    log.warn({ err: error, consumer: durable }, 'the consumer was interrupted, trying again');

  const ensure = (connection: NatsConnection, part: Part): Promise<void> =>
    ensureDurable(connection, { ...part, ackWaitMs, maxAckPending });

  /** Until the signal aborts. */
  async function pull(connection: NatsConnection, part: Part, signal: AbortSignal): Promise<void> {
    let puller: Puller | undefined;
    let end = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        end = resolve;
        signal.addEventListener('abort', end);
        puller = createPuller({
          ...{ connection, durable: part.durable },
          room: parts.length === 1 ? room : () => Math.ceil(room() * shareOfRoom),
          onMessage: (message) => onMessage(message, part),
          onFailure: reject,
        });
        pullers.add(puller);
        if (signal.aborted) resolve();
      });
    } finally {
      signal.removeEventListener('abort', end);
      if (puller !== undefined) pullers.delete(puller);
      await puller?.close();
    }
  }

  /** The replica that pulls the part next finds what this one has not begun, and nothing under way. */
  async function pullAlone(connection: NatsConnection, part: Part, signal: AbortSignal): Promise<void> {
    await ensure(connection, part);
    try {
      const returned = await pullReturned(connection, part.durable, signal);
      returned.forEach((message) => onMessage(message, part));
      if (!signal.aborted) await pull(connection, part, signal);
    } finally {
      const last = await giveBack(part);
      if (last?.reply !== undefined) {
        // Returned once more, because JetStream confirms what asks for that, and works on returns in their order.
        await atMost(settleLimitMs, connection.request(last.reply, again, { timeout: settleLimitMs }));
      }
    }
  }

  async function pullUntilBroken(): Promise<void> {
    const connection = await whenConnected(nats, stopping.signal);
    const away = new AbortController();
    const unfollow = nats.onStatus((connected) => connected || away.abort());
    const signal = AbortSignal.any([stopping.signal, away.signal]);
    try {
      await ensureServiceStreams(connection, nats.streamReplicas);
      if (databaseUrl === undefined) {
        for (const part of parts) await ensure(connection, part);
        await Promise.all(parts.map((part) => pull(connection, part, signal)));
      } else {
        // All of them, whoever leads them, so that relays find what they look for (`nats/shards-known.ts`).
        for (const part of parts) await ensure(connection, part).catch(logInterruption);
        const lead = (part: Part, until: AbortSignal): Promise<void> => pullAlone(connection, part, until);
        // Ends with the connection to NATS: a replica that is cut off from it must not keep others from its parts.
        await leadParts({ databaseUrl, name: durable, parts, lead, log, signal });
      }
      if (away.signal.aborted) {
        throw new Error('NATS is away');
      }
    } finally {
      unfollow();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await pullUntilBroken();
      } catch (error) {
        if (!stopping.signal.aborted) {
          logInterruption(error);
          await wakeup.sleep(pauseMs);
        }
      }
    }
  }

  return {
    start() {
      running ??= run();
    },
    more() {
      pullers.forEach((puller) => puller.more());
    },
    async stop() {
      stopping.abort(new Error('the consumer is stopping'));
      wakeup.poke();
      await running;
    },
  };
}

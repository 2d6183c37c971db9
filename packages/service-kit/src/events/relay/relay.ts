import { metrics } from '@opentelemetry/api';
import type { Meter } from '@opentelemetry/api';
import type { NatsConnection } from 'nats';
import type { Logger } from '../../logging';
import { atMost } from '../../work/at-most';
import { createBatchPublisher } from './batch-publisher';
import { whenConnected } from '../nats/connection';
import type { Nats } from '../nats/connection';
import { openOutboxSession } from './outbox-session';
import type { OutboxSession } from './outbox-session';
import { markFor } from './mark';
import { createRelayMetrics } from './metrics';
import { createLiveCopies } from './live-copies';
import { Progress } from './progress';
import { pump } from './pump';
import { watchStream } from './stream-watch';
import { createUpkeep } from './upkeep';
import { allKnowShards, consumersWithoutShards } from '../nats/shards-known';
import { ensureLiveStream, ensureServiceStreams, eventStreamCreated } from '../nats/streams';
import { pokeSubject } from '../nats/topology';
import { createWakeup } from '../../work/wakeup';

export interface RelayOptions {
  /** With the role of the service, whose schema holds the outbox; not through a pooler that shares sessions, because of the lock. */
  databaseUrl: string;
  nats: Nats;
  log: Logger;
  telemetry?: { meter: Meter };
  /** Whether subjects name the shard of the account, as soon as all consumers know such subjects. */
  shardEvents?: boolean;
  /** Whether a message for services may carry several events. */
  packEvents?: boolean;
  pollMs?: number;
  batchSize?: number;
  /** How often the lag is measured while NATS is away. */
  lagLookMs?: number;
  /** How often it looks whether the stream was lost and made anew, and whether all consumers know shards. */
  streamLookMs?: number;
}

export interface Relay {
  start(): void;
  /** Tells the relay that the outbox has new events. */
  poke(): void;
  /** Stops after the current batch. */
  stop(): Promise<void>;
}

/** How often a standby relay tries to take over. */
const standbyMs = 1_000;
const ackTimeoutMs = 5_000;
const firstPauseMs = 100;
const lastPauseMs = 2_000;
/** How long pokes for the active relay of another replica are collected. */
const pokeGatherMs = 2;

/**
 * Publishes the outbox in the order of its positions and notes how far it has come. One relay per schema is active at any time;
 * those of other replicas stand by. After any failure it starts again from what was noted: JetStream drops a message that it knows by its
 * `Nats-Msg-Id`, and inboxes skip events that come in another one.
 */
export function createRelay(options: RelayOptions): Relay {
  const { databaseUrl, nats, log, shardEvents = false, packEvents = false } = options;
  const { pollMs = 250, batchSize = 500, lagLookMs = 5_000, streamLookMs = 60_000 } = options;
  const relayMetrics = createRelayMetrics(options.telemetry?.meter ?? metrics.getMeter('sabia'));
  const wakeup = createWakeup();
  const stopping = new AbortController();
  let leading = false;
  let isSharding = false;
  let schema: string | undefined;
  let pokeTimer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        await publishUntilBroken(() => (failures = 0));
      } catch (error) {
        if (!stopping.signal.aborted) {
          // One line per outage, not one per attempt.
          log[failures === 0 ? 'warn' : 'debug']({ err: error }, 'the outbox relay was interrupted, trying again');
          await wakeup.sleep(Math.min(firstPauseMs * 2 ** failures, lastPauseMs));
          failures++;
        }
      }
    }
  };

  const publishUntilBroken = async (onProgress: () => void): Promise<void> => {
    const session = await openOutboxSession(databaseUrl);
    let cleanUp = (): void => undefined;
    try {
      schema = session.schema;
      // Before taking the lock: a replica that is cut off from NATS must not keep the others from publishing.
      const connection = await waitForNats(session);
      if (!(await waitForLock(session))) {
        return;
      }
      leading = true;
      await ensureServiceStreams(connection, nats.streamReplicas);
      const ensureLive = (): Promise<void> => ensureLiveStream(connection, nats.streamReplicas);
      await ensureLive().catch((error: unknown) =>
        log.warn({ err: error }, 'the stream of live events is not as it should be'),
      );
      const livePublisher = createBatchPublisher(nats, connection, ackTimeoutMs);
      const publisher = createBatchPublisher(nats, connection, ackTimeoutMs);
      const pokes = connection.subscribe(pokeSubject(session.schema), { callback: () => wakeup.poke() });
      cleanUp = () => {
        livePublisher.close();
        publisher.close();
        pokes.unsubscribe();
      };
      // While it is not known, it stays as it was: events without shards reach everybody, but not in order with those that have one.
      isSharding = shardEvents && ((await allKnowShards(connection, log)) ?? isSharding);
      const streamCreated = await eventStreamCreated(connection);
      const mark = markFor(streamCreated, await session.loadMark());
      if (mark.isStartedAnew) {
        log.warn('the stream of events was lost: publishing again what the outbox keeps of the last hours');
      }
      const progress = new Progress(mark);
      const copies = createLiveCopies({
        publisher: livePublisher,
        ensureStream: ensureLive,
        isConnected: () => nats.connected,
        wasTold: ({ position }) => position <= mark.toldTo,
        metrics: relayMetrics,
        log,
      });
      const upkeep = createUpkeep({ session, progress, copies, mark });
      const watch = watchStream({
        hasChanged: async () =>
          (await eventStreamCreated(connection)) !== streamCreated ||
          (shardEvents && ((await consumersWithoutShards(connection)).length === 0) !== isSharding),
        everyMs: streamLookMs,
        wakeup,
      });
      try {
        await pump({
          session,
          publisher,
          format: { shardEvents: isSharding, packEvents },
          copies,
          progress,
          upkeep,
          wakeup,
          pollMs,
          batchSize,
          metrics: relayMetrics,
          signal: AbortSignal.any([stopping.signal, watch.signal]),
          onProgress,
        });
      } finally {
        watch.stop();
        await upkeep.save().catch(() => undefined);
      }
    } finally {
      leading = false;
      cleanUp();
      await session.close();
    }
  };

  const waitForNats = async (session: OutboxSession): Promise<NatsConnection> => {
    while (!nats.connected && !stopping.signal.aborted) {
      relayMetrics.oldest(await session.oldestWaiting());
      // Ends the wait when its time is over: otherwise each look would leave its listeners behind.
      const look = new AbortController();
      await atMost(lagLookMs, whenConnected(nats, AbortSignal.any([stopping.signal, look.signal])));
      look.abort();
    }
    return whenConnected(nats, stopping.signal);
  };

  const waitForLock = async (session: OutboxSession): Promise<boolean> => {
    while (!stopping.signal.aborted) {
      if (await session.tryLock()) {
        return true;
      }
      await wakeup.sleep(standbyMs);
    }
    return false;
  };

  const pokeLeader = (subject: string): void => {
    pokeTimer ??= setTimeout(() => {
      pokeTimer = undefined;
      if (nats.connected) {
        // Only a hint: the other relay also polls.
        const poking = nats.connection().then((connection) => connection.publish(subject));
        poking.catch(() => undefined);
      }
    }, pokeGatherMs).unref();
  };

  return {
    start() {
      running ??= run();
    },
    poke() {
      if (leading) {
        wakeup.poke();
      } else if (schema !== undefined) {
        pokeLeader(pokeSubject(schema));
      }
    },
    async stop() {
      stopping.abort();
      clearTimeout(pokeTimer);
      wakeup.poke();
      await running;
      relayMetrics.stop();
    },
  };
}

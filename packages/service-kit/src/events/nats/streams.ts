import { DiscardPolicy, NatsError, RetentionPolicy, StorageType, nanos } from 'nats';
import type { JetStreamManager, NatsConnection, StreamConfig } from 'nats';
import {
  deadLetterMaxAgeMs,
  deadLetterStream,
  deadLetterSubjects,
  duplicateWindowMs,
  eventMaxAgeMs,
  eventStream,
  eventSubjects,
  liveMaxAgeMs,
  liveStream,
  liveSubjects,
} from './topology';

type StreamShape = Pick<StreamConfig, 'name' | 'subjects' | 'max_age' | 'duplicate_window'> & { num_replicas?: number };

const serviceStreams: StreamShape[] = [
  {
    name: eventStream,
    subjects: eventSubjects,
    max_age: nanos(eventMaxAgeMs),
    duplicate_window: nanos(duplicateWindowMs),
  },
  {
    name: deadLetterStream,
    subjects: [deadLetterSubjects],
    max_age: nanos(deadLetterMaxAgeMs),
    duplicate_window: nanos(duplicateWindowMs),
  },
];
const liveStreams: StreamShape[] = [
  {
    name: liveStream,
    subjects: [liveSubjects],
    max_age: nanos(liveMaxAgeMs),
    duplicate_window: nanos(duplicateWindowMs),
  },
];

const streamNotFound = 10059;

/**
 * Creates missing streams and corrects those that differ. Other settings of an operator (placement, and replicas unless given
 * here) are kept.
 */
export async function ensureStreams(connection: NatsConnection, replicas?: number): Promise<void> {
  await ensureServiceStreams(connection, replicas);
  await ensureLiveStream(connection, replicas);
}

export const ensureServiceStreams = (connection: NatsConnection, replicas?: number): Promise<void> =>
  ensure(serviceStreams, connection, replicas);

export const ensureLiveStream = (connection: NatsConnection, replicas?: number): Promise<void> =>
  ensure(liveStreams, connection, replicas);

/** Tells the stream of events apart from one that was made anew after it was lost. */
export async function eventStreamCreated(connection: NatsConnection): Promise<string> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  return (await manager.streams.info(eventStream)).created;
}

async function ensure(streams: StreamShape[], connection: NatsConnection, replicas?: number): Promise<void> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  for (const stream of streams) {
    await ensureStream(manager, replicas === undefined ? stream : { ...stream, num_replicas: replicas });
  }
}

async function ensureStream(manager: JetStreamManager, shape: StreamShape): Promise<void> {
  const config = await currentConfig(manager, shape.name);
  if (config === undefined) {
    // Two services may create the same stream at once: NATS accepts the same configuration twice.
    await manager.streams.add({
      ...shape,
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
    });
  } else if (!matches(config, shape)) {
    await manager.streams.update(shape.name, shape);
  }
}

async function currentConfig(manager: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === streamNotFound) {
      return undefined;
    }
    throw error;
  }
}

function matches(config: StreamConfig, shape: StreamShape): boolean {
  return (
    config.max_age === shape.max_age &&
    config.duplicate_window === shape.duplicate_window &&
    (shape.num_replicas === undefined || config.num_replicas === shape.num_replicas) &&
    config.subjects.join() === shape.subjects.join()
  );
}

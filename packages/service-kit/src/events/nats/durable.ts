import { AckPolicy, DeliverPolicy, NatsError, nanos } from 'nats';
import type { ConsumerConfig, JetStreamManager, NatsConnection } from 'nats';
import { eventStream } from './topology';

export interface DurableOptions {
  durable: string;
  /** The subjects of its events. */
  subjects: readonly string[];
  ackWaitMs: number;
  maxAckPending: number;
}

const consumerNotFound = 10014;

/** Creates the durable consumer, or updates it when the code asks for other events than before. */
export async function ensureDurable(connection: NatsConnection, options: DurableOptions): Promise<void> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const wanted = durableConfig(options, serverVersion(connection));
  const current = await currentConfig(manager, options.durable);
  if (current === undefined) {
    await manager.consumers.add(eventStream, wanted);
  } else if (!matches(current, wanted)) {
    await manager.consumers.update(eventStream, options.durable, {
      ack_wait: wanted.ack_wait,
      max_ack_pending: wanted.max_ack_pending,
      max_deliver: wanted.max_deliver,
      filter_subject: wanted.filter_subject,
      filter_subjects: wanted.filter_subjects,
    });
  }
}

export function durableConfig(options: DurableOptions, [major, minor]: [number, number]): Partial<ConsumerConfig> {
  const { subjects } = options;
  const several = major > 2 || (major === 2 && minor >= 10);
  return {
    durable_name: options.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(options.ackWaitMs),
    max_ack_pending: options.maxAckPending,
    // Failed tries are counted in the inbox, because an outage does not count.
    max_deliver: -1,
    ...(subjects.length > 1 && several
      ? { filter_subjects: [...subjects] }
      : { filter_subject: coveringSubject(subjects) }),
  };
}

async function currentConfig(manager: JetStreamManager, durable: string): Promise<ConsumerConfig | undefined> {
  try {
    return (await manager.consumers.info(eventStream, durable)).config;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === consumerNotFound) {
      return undefined;
    }
    throw error;
  }
}

function matches(current: ConsumerConfig, wanted: Partial<ConsumerConfig>): boolean {
  return (
    current.ack_wait === wanted.ack_wait &&
    current.max_ack_pending === wanted.max_ack_pending &&
    (current.max_deliver ?? -1) === wanted.max_deliver &&
    (current.filter_subject ?? '') === (wanted.filter_subject ?? '') &&
    (current.filter_subjects ?? []).join() === (wanted.filter_subjects ?? []).join()
  );
}

/** One subject for all of them, for servers before NATS 2.10, whose consumers take a single filter. */
export function coveringSubject(subjects: readonly string[]): string {
  const [first = [], ...others] = subjects.map((subject) => subject.split('.'));
  const shortest = Math.min(first.length, ...others.map(({ length }) => length));
  const common = first.map((word, index) => (others.every((words) => words[index] === word) ? word : '*'));
  if ([first, ...others].every(({ length }) => length === shortest)) {
    return common.join('.');
  }
  // Covers all that the stream takes: such servers refuse a filter that covers a part of one of its subjects and a part of another.
  return [first[0], ...Array<string>(shortest - 2).fill('*'), '>'].join('.');
}

function serverVersion(connection: NatsConnection): [number, number] {
  const [major = 0, minor = 0] = (connection.info?.version ?? '').split('.').map(Number);
  return [major, minor];
}

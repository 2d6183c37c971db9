import { AckPolicy, DeliverPolicy, NatsError, nanos } from 'nats';
import type { ConsumerConfig, JetStreamManager, NatsConnection } from 'nats';
import { eventStream, eventSubject } from './topology';

export interface DurableOptions {
  durable: string;
  types: string[];
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
  const subjects = options.types.map(eventSubject);
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
      ? { filter_subjects: subjects }
      : { filter_subject: coveringSubject(options.types) }),
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

/** One subject for all types, for servers before NATS 2.10, whose consumers take a single filter. */
export function coveringSubject(types: string[]): string {
  const [first = [], ...others] = types.map((type) => type.split('.'));
  return eventSubject(
    first.map((word, index) => (others.every((words) => words[index] === word) ? word : '*')).join('.'),
  );
}

function serverVersion(connection: NatsConnection): [number, number] {
  const [major = 0, minor = 0] = (connection.info?.version ?? '').split('.').map(Number);
  return [major, minor];
}

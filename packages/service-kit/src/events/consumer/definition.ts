import type { EventDefinition } from '@sabia/protos/events/define-event';
import type { Meter, Tracer } from '@opentelemetry/api';
import type { Logger } from '../../logging';
import type { Database, Transaction } from '../../postgres/database';
import type { Nats } from '../nats/connection';
import type { ReceivedEvent } from './delivery';
import type { PutOff } from './retry-later';

interface ConsumerBasics<E extends EventDefinition> {
  /** The permanent name of the consumer: its position in the stream, its inbox rows and its dead letters depend on it. */
  durable: string;
  events: readonly E[];
  /** Failed tries before an event becomes a dead letter. Outages and RetryLater do not count. */
  maxDeliver?: number;
  /** Pauses between failed tries; the last one repeats. */
  backoffMs?: number[];
  /** Batches handled at the same time in this process. Accounts take turns, and the events of each stay in order. */
  concurrency?: number;
  /** Events of an account are consumed by one replica at a time, so that they keep their order; another takes over when it ends. */
  exclusive?: boolean;
  /** A handler that takes longer has failed. */
  timeoutMs?: number;
}

/** The effect is SQL: it commits together with the inbox row, so it happens exactly once. */
export interface TransactionalConsumer<E extends EventDefinition = EventDefinition> extends ConsumerBasics<E> {
  /** Waiting events share a transaction; when one of them fails, each gets its own. */
  handle(event: ReceivedEvent<E>, tx: Transaction): Promise<void>;
  /** The maximum number of events that share a transaction. */
  batchSize?: number;
}

/** The effect is SQL that is one statement for many events. Called with single events after a batch has failed. */
export interface BatchConsumer<E extends EventDefinition = EventDefinition> extends ConsumerBasics<E> {
  /** Returns the events that it has not handled, to get them again later; that does not count as a failed try. */
  handleBatch(events: ReceivedEvent<E>[], tx: Transaction): Promise<PutOff[] | void>;
  batchSize?: number;
  /** What the events of an account cost, such as the rows that each of them becomes, and the most that a batch may cost. */
  weight?: { of: (accountId: number) => number; most: number };
}

/**
 * The effect is not SQL, such as sending a mail: it runs first and the inbox row is written after it. It happens at least once,
 * and twice only if the process dies in between. It throws RetryLater while a server that it needs is away.
 */
export interface EffectConsumer<E extends EventDefinition = EventDefinition> extends ConsumerBasics<E> {
  effect(event: ReceivedEvent<E>, signal: AbortSignal): Promise<void>;
}

export type ConsumerDefinition = TransactionalConsumer | BatchConsumer | EffectConsumer;

/** Infers the messages of the handler from the events. */
export function defineConsumer<E extends EventDefinition>(consumer: TransactionalConsumer<E>): TransactionalConsumer<E>;
export function defineConsumer<E extends EventDefinition>(consumer: BatchConsumer<E>): BatchConsumer<E>;
export function defineConsumer<E extends EventDefinition>(consumer: EffectConsumer<E>): EffectConsumer<E>;
export function defineConsumer(consumer: ConsumerDefinition): ConsumerDefinition {
  return consumer;
}

export interface ConsumerParts {
  database: Database;
  /** Required by an exclusive consumer, for its lock. */
  databaseUrl?: string;
  nats: Nats;
  log: Logger;
  telemetry?: { tracer: Pick<Tracer, 'startSpan'>; meter: Meter };
  now?: () => Date;
}

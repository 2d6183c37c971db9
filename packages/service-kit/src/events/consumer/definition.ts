import type { Meter, Tracer } from '@opentelemetry/api';
import type { Logger } from '../../logging';
import type { Database, Transaction } from '../../postgres/database';
import type { ReceivedEvent } from './delivery';
import type { Nats } from '../nats/connection';
import type { PutOff } from './retry-later';

interface ConsumerBasics {
  /** Names the consumer for ever: its place in the stream, its inbox rows and its dead letters hang on it. */
  durable: string;
  /** Event types, `*` for any one word: ['identity.account.created', 'identity.user.*']. */
  types: string[];
  /** Failed tries before an event becomes a dead letter. Outages and RetryLater do not count. */
  maxDeliver?: number;
  /** Waits between failed tries; the last one repeats. */
  backoffMs?: number[];
  /** Events worked on at once in this process; those of one account stay in order. */
  concurrency?: number;
  /** Of all replicas one consumes, so that events keep their order across replicas too; another takes over when it ends. */
  exclusive?: boolean;
  /** A handler that takes longer than this has failed. */
  timeoutMs?: number;
}

/** The effect is SQL: it commits together with the inbox row, so it happens exactly once. */
export interface TransactionalConsumer extends ConsumerBasics {
  /** Events that are waiting share a transaction; when one of them fails, each gets its own. */
  handle: (event: ReceivedEvent, tx: Transaction) => Promise<void>;
  /** Events that may share a transaction. */
  batchSize?: number;
}

/** As above, for effects that are one statement for many events. Called with single events after a batch has failed. */
export interface BatchConsumer extends ConsumerBasics {
  /** Answers with the events that it has left alone, to be called again with them later; that does not count as a failed try. */
  handleBatch: (events: ReceivedEvent[], tx: Transaction) => Promise<PutOff[] | void>;
  batchSize?: number;
}

/**
 * The effect is no SQL, such as sending a mail: it runs first and the inbox row is written after it. It happens at least once,
 * and twice only if the process dies in between. While what it needs is away it throws RetryLater.
 */
export interface EffectConsumer extends ConsumerBasics {
  effect: (event: ReceivedEvent, signal: AbortSignal) => Promise<void>;
}

export type ConsumerDefinition = TransactionalConsumer | BatchConsumer | EffectConsumer;

export interface ConsumerParts {
  database: Database;
  /** For an exclusive consumer: where its right is kept. */
  databaseUrl?: string;
  nats: Nats;
  log: Logger;
  telemetry?: { tracer: Pick<Tracer, 'startSpan'>; meter: Meter };
  now?: () => Date;
}

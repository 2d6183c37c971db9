import type { Consumer } from '@sabia/service-kit/events/consumer/consumer';
import type { ConsumerDefinition } from '@sabia/service-kit/events/consumer/definition';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import type { EventFormat } from '@sabia/service-kit/events/relay/packs';
import { eventSubject } from '@sabia/service-kit/events/nats/topology';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { testServers } from '@sabia/testkit/servers';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createRelay } from '@sabia/service-kit/events/relay/relay';
import type { Relay } from '@sabia/service-kit/events/relay/relay';
import { createEventStage, log } from './event-stage';
import type { EventStage } from './event-stage';

export const textOf = (event: ReceivedEvent): string => event.message as string;

export interface EventRoom {
  readonly databaseUrl: string;
  /** Of the test that runs. */
  readonly stage: EventStage;
  /** What a consumer has done, in order. */
  effects(consumer: string): Promise<string[]>;
  /** A consumer whose effect is a row. */
  record(durable: string, extra?: Partial<ConsumerDefinition>): Consumer;
  /** Of a second process, which begins where the mark says. */
  secondRelay(): Relay;
  /** Puts a message into the stream without an outbox, as a second publish after the duplicate window would. */
  publishRaw(data: Uint8Array): Promise<void>;
}

/** A database for the tests of a file, and for each of them a stage of its own. To be called where hooks may be set. */
export function useEventRoom(format: Partial<EventFormat> = {}): EventRoom {
  let database: TestDatabase;
  let stage: EventStage;

  beforeAll(async () => {
    database = await createTestDatabase('identity');
  });

  afterAll(() => database.drop());

  beforeEach(async () => {
    stage = createEventStage(database.url, testServers().natsUrl, format);
    await stage.database.query(
      'CREATE TABLE IF NOT EXISTS effects (nth bigint GENERATED ALWAYS AS IDENTITY, consumer text, text text)',
    );
    await stage.database.query('TRUNCATE effects, outbox');
  });

  afterEach(() => stage.close());

  return {
    get databaseUrl() {
      return database.url;
    },
    get stage() {
      return stage;
    },
    async effects(consumer) {
      const rows = await stage.database.query<{ text: string }>(
        'SELECT text FROM effects WHERE consumer = $1 ORDER BY nth',
        [consumer],
      );
      return rows.map(({ text }) => text);
    },
    record: (durable, extra = {}) =>
      stage.consume({
        durable,
        handle: async (event, tx) => {
          await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, textOf(event)]);
        },
        ...extra,
      }),
    secondRelay() {
      const relay = createRelay({ databaseUrl: database.url, nats: stage.nats, log, pollMs: 50, ...format });
      relay.start();
      return relay;
    },
    async publishRaw(data) {
      const connection = await stage.nats.connection();
      await connection.jetstream().publish(eventSubject(stage.event.type), data);
    },
  };
}

/** Spans and metrics that only the test reads. */
export function ownTelemetry() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer('test'), meter: new MeterProvider().getMeter('test'), exporter };
}

import { randomBytes } from 'node:crypto';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { createConsumer } from '@sabia/service-kit/events/consumer/consumer';
import type { Consumer } from '@sabia/service-kit/events/consumer/consumer';
import type { ConsumerDefinition, ConsumerParts } from '@sabia/service-kit/events/consumer/definition';
import { readEnvelopes } from '@sabia/service-kit/events/envelope';
import { createOutbox, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { EventAttributes, Outbox } from '@sabia/service-kit/events/outbox';
import type { EventFormat } from '@sabia/service-kit/events/relay/packs';
import { createRelay } from '@sabia/service-kit/events/relay/relay';
import type { Relay } from '@sabia/service-kit/events/relay/relay';
import { eventStream, eventSubject, shardSubject } from '@sabia/service-kit/events/nats/topology';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { defineEvent } from '@sabia/protos/events/define-event';
import type { EventDefinition, EventType } from '@sabia/protos/events/define-event';

export const log = createLogger({ name: 'test', level: 'silent' });

/** Letters that no other test uses: all tests share one NATS. */
export const unique = (word: string): string => `${word}${randomBytes(5).toString('hex')}`;

/** An event whose message is a text. */
export const textEvent = (type: EventType): EventDefinition<EventType, string> =>
  defineEvent(type, {
    $type: 'text',
    encode: (text) => ({ finish: () => Buffer.from(text) }),
    decode: (bytes) => Buffer.from(bytes).toString(),
  });

export interface EventStage {
  database: Database;
  nats: Nats;
  relay: Relay;
  outbox: Outbox;
  /** An event of this stage alone. */
  event: EventDefinition<EventType, string>;
  publish(events: (Partial<EventAttributes> & { text: string; type?: EventType })[]): Promise<void>;
  consume(definition: Partial<ConsumerDefinition> & { durable: string }, parts?: Partial<ConsumerParts>): Consumer;
  /** The texts of all events of this stage in JetStream, in order. */
  stored(): Promise<string[]>;
  /** How many events are not published yet. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

export function createEventStage(databaseUrl: string, natsUrl: string, format: Partial<EventFormat> = {}): EventStage {
  const event = textEvent(`identity.${unique('noun')}.happened`);
  const database = createDatabase({
    url: databaseUrl,
    applicationName: 'event test',
    poolSize: 8,
    connectionTimeoutMs: 60_000,
    log,
  });
  const nats = connectNats({ url: natsUrl, name: 'event test', log });
  const relay = createRelay({ databaseUrl, nats, log, pollMs: 50, ...format });
  const outbox = createOutbox({ poke: () => relay.poke() });
  const consumers: Consumer[] = [];
  return {
    database,
    nats,
    relay,
    outbox,
    event,
    async publish(events) {
      await database.transaction((tx) =>
        outbox.write(
          tx,
          events.map(({ text, type = event.type, ...attributes }) =>
            outgoingEvent(textEvent(type), text, { accountId: 1, ...attributes }),
          ),
        ),
      );
    },
    consume(definition, parts = {}) {
      const consumer = createConsumer({
        events: [event],
        database,
        databaseUrl,
        nats,
        log,
        ...definition,
        ...parts,
      } as ConsumerDefinition & ConsumerParts);
      consumers.push(consumer);
      consumer.start();
      return consumer;
    },
    async stored() {
      const connection = await nats.connection();
      const source = await connection
        .jetstream()
        .consumers.get(eventStream, { filterSubjects: [eventSubject(event.type), shardSubject(event.type, '*')] });
      const { num_pending } = await source.info();
      const texts: string[] = [];
      if (num_pending > 0) {
        for await (const message of await source.fetch({ max_messages: num_pending, expires: 300_000 })) {
          texts.push(...readEnvelopes(message.data).map(({ payload }) => payload.toString()));
        }
      }
      return texts;
    },
    async waiting() {
      const [row] = await database.query<{ count: number }>('SELECT count(*) AS count FROM outbox_waiting');
      return row?.count ?? 0;
    },
    async close() {
      await Promise.all(consumers.map((consumer) => consumer.stop(1_000)));
      await relay.stop();
      await nats.close();
      await database.close();
    },
  };
}

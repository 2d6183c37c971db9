import { setTimeout as delay } from 'node:timers/promises';
import { RetryLater } from '@sabia/service-kit/events/consumer';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer';
import { listDeadLetters, replayDeadLetter } from '@sabia/service-kit/events/dead-letters';
import { newEventId } from '@sabia/service-kit/events/event-id';
import { createInbox } from '@sabia/service-kit/events/inbox';
import { createInboxCleaner } from '@sabia/service-kit/events/inbox-cleaner';
import { connectNats } from '@sabia/service-kit/events/nats';
import { createRelay } from '@sabia/service-kit/events/relay';
import { eventSubject } from '@sabia/service-kit/events/topology';
import { currentScope, runInScope } from '@sabia/service-kit/request-scope';
import { traceHeaders } from '@sabia/service-kit/trace-context';
import { testServers } from '@sabia/testkit/servers';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { SpanKind } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { createEventStage, log, unique } from './event-stage';
import type { EventStage } from './event-stage';

const text = (event: ReceivedEvent) => event.payload.toString();

describe('events', () => {
  let testDatabase: TestDatabase;
  let stage: EventStage;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('identity');
  });

  afterAll(() => testDatabase.drop());

  beforeEach(async () => {
    stage = createEventStage(testDatabase.url, testServers().natsUrl);
    await stage.database.query(
      'CREATE TABLE IF NOT EXISTS effects (nth bigint GENERATED ALWAYS AS IDENTITY, consumer text, text text)',
    );
    await stage.database.query('TRUNCATE effects, outbox');
  });

  afterEach(() => stage.close());

  const effects = async (consumer: string) =>
    (
      await stage.database.query<{ text: string }>('SELECT text FROM effects WHERE consumer = $1 ORDER BY nth', [
        consumer,
      ])
    ).map((row) => row.text);

  /** A consumer whose effect is a row. */
  const record = (durable: string, extra: object = {}) =>
    stage.consume({
      durable,
      handle: async (event, tx) => {
        await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, text(event)]);
      },
      ...extra,
    });

  const tracing = () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    return { tracer: provider.getTracer('test'), meter: new MeterProvider().getMeter('test'), exporter };
  };

  /** Puts a message into the stream without an outbox, as a second publish after the duplicate window would. */
  const publishRaw = async (data: Uint8Array, type = stage.type) => {
    const connection = await stage.nats.connection();
    await connection.jetstream().publish(eventSubject(type), data);
  };

  it('go from the outbox through JetStream to every consumer, in order, and leave the outbox empty', async () => {
    stage.relay.start();
    const [first, second] = [unique('first'), unique('second')];
    record(first);
    record(second, { batchSize: 1 });
    const texts = Array.from({ length: 700 }, (_, index) => `event ${index}`);
    for (let from = 0; from < texts.length; from += 100) {
      await stage.publish(texts.slice(from, from + 100).map((entry) => ({ text: entry })));
    }
    await eventually(
      async () => (await effects(first)).length === texts.length && (await effects(second)).length === texts.length,
    );
    await expect(effects(first)).resolves.toEqual(texts);
    await expect(effects(second)).resolves.toEqual(texts);
    await expect(stage.outboxSize()).resolves.toBe(0);
  });

  it('carry everything that was written', async () => {
    stage.relay.start();
    const received: ReceivedEvent[] = [];
    stage.consume({ durable: unique('consumer'), handle: async (event) => void received.push(event) });
    const event = { id: newEventId(), accountId: 42, version: 3, occurredAt: new Date('2026-01-02T03:04:05.678Z') };
    await stage.publish([{ text: 'Olá', ...event }]);
    const [first] = await eventually(() => received.length > 0 && received);
    expect(first).toMatchObject({ ...event, type: stage.type, deliveryCount: 1 });
    expect(text(first as ReceivedEvent)).toBe('Olá');
  });

  it('do not exist when their transaction is rolled back', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    record(durable);
    const rolledBack = stage.database.transaction(async (tx) => {
      await stage.outbox.write(tx, [{ type: stage.type, accountId: 1, payload: Buffer.from('never') }]);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await stage.publish([{ text: 'after' }]);
    await eventually(async () => (await effects(durable)).length > 0);
    await expect(stage.stored()).resolves.toEqual(['after']);
  });

  it('are refused when they could never be published', async () => {
    await expect(stage.publish([{ text: '', type: 'Not A Type' }])).rejects.toThrow(/no event type/);
    await expect(stage.publish([{ text: 'x'.repeat(600_000) }])).rejects.toThrow(/too large/);
  });

  it('have one effect, however often the message comes', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    record(durable);
    const id = newEventId();
    await stage.publish([{ text: 'once', id }]);
    await eventually(async () => (await effects(durable)).length === 1);
    const again = Envelope.encode(
      Envelope.fromPartial({
        id,
        type: stage.type,
        occurredAt: new Date(),
        accountId: 1,
        payload: Buffer.from('once'),
      }),
    ).finish();
    await Promise.all([1, 2, 3].map(() => publishRaw(again)));
    await stage.publish([{ text: 'the end' }]);
    await eventually(async () => (await effects(durable)).includes('the end'));
    await expect(stage.stored()).resolves.toHaveLength(5);
    await expect(effects(durable)).resolves.toEqual(['once', 'the end']);
  });

  it('have one effect when two replicas consume together', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    record(durable, { concurrency: 3, batchSize: 5 });
    record(durable, { concurrency: 3, batchSize: 5 });
    const texts = Array.from({ length: 500 }, (_, index) => `event ${index}`);
    await stage.publish(texts.map((entry, index) => ({ text: entry, accountId: index })));
    await eventually(async () => (await effects(durable)).length >= texts.length);
    expect((await effects(durable)).sort()).toEqual([...texts].sort());
  });

  it('of an exclusive consumer are handled by one replica, in order; another takes over when it ends', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    const handled: { replica: number; text: string }[] = [];
    const replicas = [1, 2].map((replica) =>
      stage.consume({
        durable,
        exclusive: true,
        batchSize: 2,
        handle: async (event) => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
          handled.push({ replica, text: text(event) });
        },
      }),
    );
    const send = async (from: number) => {
      const texts = Array.from({ length: 50 }, (_, index) => `event ${from + index}`);
      await stage.publish(texts.map((entry) => ({ text: entry })));
      await eventually(() => handled.length >= from + texts.length);
    };
    await send(0);
    const [first] = handled;
    expect(new Set(handled.map(({ replica }) => replica)).size).toBe(1);
    await replicas[first!.replica - 1]!.stop();
    await send(50);
    expect(handled.slice(50).every(({ replica }) => replica === 3 - first!.replica)).toBe(true);
    expect(handled.map(({ text: entry }) => entry)).toEqual(
      Array.from({ length: 100 }, (_, index) => `event ${index}`),
    );
  });

  it('of an exclusive consumer go to the replica that reaches NATS, whoever was there first', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    const handled: string[] = [];
    const away = connectNats({ url: 'nats://127.0.0.1:1', name: 'without NATS', log });
    const cutOff = stage.consume({ durable, exclusive: true, handle: () => Promise.resolve() }, { nats: away });
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      stage.consume({ durable, exclusive: true, handle: async (event) => void handled.push(text(event)) });
      await stage.publish([{ text: 'for whoever hears it' }]);
      await eventually(() => handled.length === 1);
    } finally {
      await cutOff.stop(1_000);
      await away.close();
    }
  });

  it('of one account stay in order when several are worked on at once', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    record(durable, { concurrency: 4, batchSize: 3 });
    await stage.publish(
      Array.from({ length: 200 }, (_, index) => ({ text: `${index % 5} ${index}`, accountId: index % 5 })),
    );
    await eventually(async () => (await effects(durable)).length === 200);
    for (const account of [0, 1, 2, 3, 4]) {
      const numbers = (await effects(durable))
        .filter((entry) => entry.startsWith(`${account} `))
        .map((entry) => Number(entry.split(' ')[1]));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  });

  it('reach a consumer of several types, and no other', async () => {
    stage.relay.start();
    const noun = unique('noun');
    const durable = unique('consumer');
    record(durable, { types: [`identity.${noun}.created`, `billing.${noun}.*`] });
    const types = [
      `identity.${noun}.created`,
      `identity.${noun}.deleted`,
      `billing.${noun}.a`,
      `webhook.${noun}.b`,
      `billing.${noun}.b`,
    ];
    await stage.publish(types.map((type) => ({ text: type, type })));
    await eventually(async () => (await effects(durable)).includes(`billing.${noun}.b`));
    await expect(effects(durable)).resolves.toEqual([
      `identity.${noun}.created`,
      `billing.${noun}.a`,
      `billing.${noun}.b`,
    ]);
  });

  it('can be handled many at a time', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    const sizes: number[] = [];
    stage.consume({
      durable,
      batchSize: 100,
      handleBatch: async (events, tx) => {
        sizes.push(events.length);
        if (events.length > 1 && events.some((event) => text(event) === 'spoils the batch')) {
          throw new Error('not in a batch');
        }
        await tx.query('INSERT INTO effects (consumer, text) SELECT $1, unnest($2::text[])', [
          durable,
          events.map(text),
        ]);
      },
    });
    const texts = Array.from({ length: 300 }, (_, index) => (index === 150 ? 'spoils the batch' : `event ${index}`));
    await stage.publish(texts.map((entry) => ({ text: entry })));
    await eventually(async () => (await effects(durable)).length === texts.length);
    await expect(effects(durable)).resolves.toEqual(texts);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  describe('that cannot be handled', () => {
    it('become dead letters after their tries, are listed, and hold up nobody', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      let tries = 0;
      stage.consume({
        durable,
        maxDeliver: 3,
        backoffMs: [20],
        handle: async (event, tx) => {
          if (text(event) === 'poison') {
            tries += tx === undefined ? 0 : 1;
            throw new Error('cannot swallow this\nat all');
          }
          await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, text(event)]);
        },
      });
      const id = newEventId();
      await stage.publish([{ text: 'before' }]);
      await eventually(async () => (await effects(durable)).length === 1);
      await stage.publish([{ text: 'poison', id }]);
      await stage.publish([{ text: 'after' }]);
      const [letter, ...others] = await eventually(async () => {
        const letters = await listDeadLetters(stage.nats, { durable });
        return letters.length > 0 && letters;
      });
      expect(others).toEqual([]);
      expect(letter).toMatchObject({
        durable,
        tries: 3,
        reason: 'Error: cannot swallow this at all',
        subject: eventSubject(stage.type),
      });
      expect(letter?.event).toMatchObject({ id, type: stage.type, accountId: 1 });
      expect(tries).toBeGreaterThanOrEqual(3);
      await eventually(async () => (await effects(durable)).length === 2);
      await expect(effects(durable)).resolves.toEqual(['before', 'after']);
      await eventually(async () => {
        const rows = await stage.database.query('SELECT 1 FROM inbox_attempts WHERE consumer = $1', [durable]);
        return rows.length === 0;
      });
    });

    it('can be replayed to their own consumer, once it is repaired, and to no other', async () => {
      stage.relay.start();
      const [broken, bystander] = [unique('broken'), unique('bystander')];
      let repaired = false;
      stage.consume({
        durable: broken,
        maxDeliver: 1,
        handle: async (event, tx) => {
          if (!repaired) {
            throw new Error('a bug');
          }
          await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [broken, text(event)]);
        },
      });
      record(bystander);
      await stage.publish([{ text: 'one' }, { text: 'two' }]);
      const letters = await eventually(async () => {
        const found = await listDeadLetters(stage.nats, { durable: broken });
        return found.length === 2 && found;
      });
      await eventually(async () => (await effects(bystander)).length === 2);
      // As if its rows had been cleaned away long ago.
      await stage.database.query('DELETE FROM inbox WHERE consumer = $1', [bystander]);
      repaired = true;
      for (const { sequence } of letters) {
        await replayDeadLetter(stage.nats, sequence);
      }
      await stage.publish([{ text: 'three' }]);
      await eventually(
        async () => (await effects(broken)).includes('three') && (await effects(bystander)).includes('three'),
      );
      await expect(effects(broken)).resolves.toEqual(['one', 'two', 'three']);
      await expect(effects(bystander)).resolves.toEqual(['one', 'two', 'three']);
      await expect(listDeadLetters(stage.nats, { durable: broken })).resolves.toEqual([]);
    });

    it('become dead letters at once when they are no events at all', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      record(durable);
      await publishRaw(Buffer.from('rubbish'));
      await stage.publish([{ text: 'good' }]);
      const [letter] = await eventually(async () => {
        const letters = await listDeadLetters(stage.nats, { durable });
        return letters.length > 0 && letters;
      });
      expect(letter).toMatchObject({ durable, event: undefined });
      await eventually(async () => (await effects(durable)).length === 1);
    });

    it('are counted', async () => {
      stage.relay.start();
      const counts: [string, number, object | undefined][] = [];
      const meter = new MeterProvider().getMeter('test');
      jest.spyOn(meter, 'createCounter').mockImplementation((name) => ({
        add: (value: number, attributes?: object) => void counts.push([name, value, attributes]),
      }));
      const durable = unique('consumer');
      stage.consume(
        { durable, maxDeliver: 1, handle: () => Promise.reject(new Error('no')) },
        { telemetry: { ...tracing(), meter } },
      );
      await stage.publish([{ text: 'poison' }]);
      await eventually(() => counts.some(([name, count]) => name === 'sabia_dead_letters' && count > 0));
      expect(counts).toContainEqual(['sabia_dead_letters', 1, { consumer: durable, type: stage.type }]);
    });

    it('are put off as often as the handler asks, without using up tries', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      let calls = 0;
      stage.consume({
        durable,
        maxDeliver: 2,
        backoffMs: [10],
        handle: async (event, tx) => {
          calls++;
          if (calls <= 6) {
            throw new RetryLater(10);
          }
          await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, text(event)]);
        },
      });
      await stage.publish([{ text: 'patient' }]);
      await eventually(async () => (await effects(durable)).length === 1);
      expect(calls).toBe(7);
      await expect(listDeadLetters(stage.nats, { durable })).resolves.toEqual([]);
    });

    it('fail when their handler takes too long', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      let calls = 0;
      stage.consume({
        durable,
        timeoutMs: 500,
        backoffMs: [10],
        handle: async (event, tx) => {
          calls++;
          if (calls === 1) {
            await new Promise(() => undefined);
          }
          if (calls === 2) {
            await tx.query('SELECT pg_sleep(60)');
          }
          await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, text(event)]);
        },
      });
      await stage.publish([{ text: 'slow' }]);
      await eventually(async () => (await effects(durable)).length === 1);
      expect(calls).toBeGreaterThanOrEqual(3);
    });
  });

  describe('with an effect that is no SQL', () => {
    it('are repeated while the effect asks for it, and done once', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      const sent: string[] = [];
      let refusals = 3;
      const definition = {
        durable,
        concurrency: 2,
        effect: async (event: ReceivedEvent) => {
          if (refusals-- > 0) {
            throw new RetryLater(10);
          }
          sent.push(text(event));
        },
      };
      stage.consume(definition);
      stage.consume(definition);
      await stage.publish(Array.from({ length: 50 }, (_, index) => ({ text: `mail ${index}`, accountId: index })));
      await eventually(() => sent.length >= 50);
      const [row] = await eventually(async () => {
        const rows = await stage.database.query<{ count: number }>(
          'SELECT count(*) AS count FROM inbox WHERE consumer = $1',
          [durable],
        );
        return rows[0]?.count === 50 && rows;
      });
      expect(row?.count).toBe(50);
      expect(new Set(sent).size).toBe(50);
      expect(sent).toHaveLength(50);
    });

    it('are not begun while another replica is at it', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      let running = 0;
      let most = 0;
      let done = 0;
      const id = newEventId();
      const definition = {
        durable,
        concurrency: 4,
        effect: async () => {
          running++;
          most = Math.max(most, running);
          await delay(200);
          running--;
          done++;
        },
      };
      stage.consume(definition);
      const copy = (accountId: number) =>
        Envelope.encode(Envelope.fromPartial({ id, type: stage.type, occurredAt: new Date(), accountId })).finish();
      await stage.nats.connection();
      await eventually(async () => {
        await publishRaw(copy(0));
        return true;
      });
      await publishRaw(copy(1));
      await publishRaw(copy(2));
      await eventually(() => done === 1);
      await stage.publish([{ text: 'the end', accountId: 3 }]);
      await eventually(() => done === 2);
      expect(most).toBe(1);
    });
  });

  describe('and their trace', () => {
    it('continues in the consumer and in what it causes', async () => {
      stage.relay.start();
      const { exporter, ...telemetry } = tracing();
      const next = `billing.${unique('noun')}.happened`;
      const seen: (string | undefined)[] = [];
      stage.consume(
        {
          durable: unique('consumer'),
          handle: async (_event, tx) => {
            seen.push(currentScope()?.span?.spanContext().traceId);
            await stage.outbox.write(tx, [{ type: next, accountId: 1, payload: Buffer.from('') }]);
          },
        },
        { telemetry },
      );
      stage.consume(
        { durable: unique('consumer'), types: [next], handle: async () => void seen.push(traceHeaders().traceparent) },
        { telemetry },
      );

      const producer = telemetry.tracer.startSpan('producer');
      await runInScope({ requestId: 'test', signal: new AbortController().signal, span: producer }, () =>
        stage.publish([{ text: 'traced' }]),
      );
      producer.end();
      await eventually(() => exporter.getFinishedSpans().length === 3);

      const spans = exporter.getFinishedSpans();
      const [first, second] = [`consume ${stage.type}`, `consume ${next}`].map((name) =>
        spans.find((span) => span.name === name),
      );
      const { traceId, spanId } = producer.spanContext();
      expect(first).toMatchObject({ kind: SpanKind.CONSUMER, parentSpanContext: { traceId, spanId, isRemote: true } });
      expect(second?.parentSpanContext).toMatchObject({ traceId, spanId: first?.spanContext().spanId });
      expect(seen[0]).toBe(traceId);
      expect(seen[1]).toBe(`00-${traceId}-${second?.spanContext().spanId}-01`);

      const connection = await stage.nats.connection();
      const manager = await connection.jetstreamManager();
      const stored = await manager.streams.getMessage('SABIA', { last_by_subj: eventSubject(stage.type) });
      expect(stored.header.get('traceparent')).toBe(`00-${traceId}-${spanId}-01`);
    });
  });

  describe('and their relays', () => {
    it('work one at a time, in order, without publishing twice, and take over from each other', async () => {
      const second = createRelay({ databaseUrl: testDatabase.url, nats: stage.nats, log, pollMs: 20, batchSize: 50 });
      stage.relay.start();
      second.start();
      const texts = Array.from({ length: 3_000 }, (_, index) => `event ${index}`);
      for (let from = 0; from < texts.length; from += 50) {
        await stage.publish(texts.slice(from, from + 50).map((entry) => ({ text: entry })));
        second.poke();
        if (from === 1_500) {
          await stage.relay.stop();
        }
      }
      await eventually(async () => (await stage.outboxSize()) === 0);
      await second.stop();
      await expect(stage.stored()).resolves.toEqual(texts);
    });

    it('are told by other replicas that there is something to do', async () => {
      const lazy = { databaseUrl: testDatabase.url, nats: stage.nats, log, pollMs: 600_000 };
      const [working, waiting] = [createRelay(lazy), createRelay(lazy)];
      working.start();
      await stage.publish([{ text: 'first' }]);
      await eventually(async () => (await stage.outboxSize()) === 0);
      waiting.start();
      await eventually(async () => {
        await stage.publish([{ text: 'next' }]);
        waiting.poke();
        await eventually(async () => (await stage.outboxSize()) === 0, { timeoutMs: 300 });
        return true;
      });
      await Promise.all([working.stop(), waiting.stop()]);
    });

    it('publish again without a second copy what was stored but not deleted', async () => {
      await stage.publish([{ text: 'one' }, { text: 'two' }]);
      await stage.database.query('CREATE TABLE kept AS SELECT * FROM outbox');
      stage.relay.start();
      await eventually(async () => (await stage.outboxSize()) === 0);
      await stage.database.query(
        `INSERT INTO outbox (id, type, version, account_id, occurred_at, traceparent, tracestate, payload)
         SELECT id, type, version, account_id, occurred_at, traceparent, tracestate, payload FROM kept ORDER BY position`,
      );
      await eventually(async () => (await stage.outboxSize()) === 0);
      await expect(stage.stored()).resolves.toEqual(['one', 'two']);
    });
  });

  it('are forgotten by the inbox once the stream cannot hold them any more', async () => {
    const inbox = createInbox(stage.database, unique('consumer'));
    const another = createInbox(stage.database, unique('consumer'));
    const [old, young] = [newEventId(), newEventId()];
    await inbox.record(stage.database, [old]);
    await another.record(stage.database, [old]);
    await inbox.fail(old);
    const between = new Date(
      (await stage.database.query<{ now: Date }>('SELECT clock_timestamp() AS now'))[0]?.now ?? 0,
    );
    await eventually(() => new Date() > between);
    await inbox.record(stage.database, [young]);
    const inboxLog = { inbox, log, maxAgeMs: 1_000, everyMs: 5, now: () => new Date(between.getTime() + 1_001) };
    const cleaner = createInboxCleaner(inboxLog);
    cleaner.start();
    await eventually(async () => (await inbox.claim(old, 1)) === 'claimed');
    await cleaner.stop();
    await expect(inbox.claim(young, 1)).resolves.toBe('handled');
    await expect(another.claim(old, 1)).resolves.toBe('handled');
  });

  it('are given back by a consumer that stops, and none is lost', async () => {
    stage.relay.start();
    const durable = unique('consumer');
    const texts = Array.from({ length: 400 }, (_, index) => `event ${index}`);
    await stage.publish(texts.map((entry) => ({ text: entry })));
    for (let round = 0; round < 4; round++) {
      const before = (await effects(durable)).length;
      const consumer = record(durable, { batchSize: 2 });
      await eventually(async () => (await effects(durable)).length > before, { intervalMs: 5 });
      await consumer.stop();
    }
    record(durable);
    await eventually(async () => (await effects(durable)).length >= texts.length);
    expect((await effects(durable)).sort()).toEqual([...texts].sort());
  });
});

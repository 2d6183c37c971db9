import { newEventId, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import { eventually } from '@sabia/testkit/eventually';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { textOf, useEventRoom } from './event-room';
import { textEvent, unique } from './event-stage';

describe('events', () => {
  const room = useEventRoom();

  it('go from the outbox through JetStream to every consumer, in order, and leave the outbox empty', async () => {
    room.stage.relay.start();
    const [first, second] = [unique('first'), unique('second')];
    room.record(first);
    room.record(second, { batchSize: 1 });
    const texts = Array.from({ length: 700 }, (_, index) => `event ${index}`);
    for (let from = 0; from < texts.length; from += 100) {
      await room.stage.publish(texts.slice(from, from + 100).map((entry) => ({ text: entry })));
    }
    await eventually(
      async () =>
        (await room.effects(first)).length === texts.length && (await room.effects(second)).length === texts.length,
    );
    await expect(room.effects(first)).resolves.toEqual(texts);
    await expect(room.effects(second)).resolves.toEqual(texts);
    await expect(room.stage.waiting()).resolves.toBe(0);
  });

  it('carry everything that was written', async () => {
    room.stage.relay.start();
    const received: ReceivedEvent[] = [];
    room.stage.consume({ durable: unique('consumer'), handle: async (event) => void received.push(event) });
    const event = { id: newEventId(), accountId: 42, version: 3, occurredAt: new Date('2026-01-02T03:04:05.678Z') };
    await room.stage.publish([{ text: 'Olá', ...event }]);
    const [first] = await eventually(() => received.length > 0 && received);
    expect(first).toMatchObject({ ...event, type: room.stage.event.type, deliveryCount: 1 });
    expect(textOf(first as ReceivedEvent)).toBe('Olá');
  });

  it('do not exist when their transaction is rolled back', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    room.record(durable);
    const rolledBack = room.stage.database.transaction(async (tx) => {
      await room.stage.outbox.write(tx, [outgoingEvent(room.stage.event, 'never', { accountId: 1 })]);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await room.stage.publish([{ text: 'after' }]);
    await eventually(async () => (await room.effects(durable)).length > 0);
    await expect(room.stage.stored()).resolves.toEqual(['after']);
  });

  it('are refused when they could never be published', async () => {
    await expect(room.stage.publish([{ text: 'x'.repeat(600_000) }])).rejects.toThrow(/too large/);
  });

  it('have one effect, however often the message comes', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    room.record(durable);
    const id = newEventId();
    await room.stage.publish([{ text: 'once', id }]);
    await eventually(async () => (await room.effects(durable)).length === 1);
    const again = Envelope.encode(
      Envelope.fromPartial({
        id,
        type: room.stage.event.type,
        occurredAt: new Date(),
        accountId: 1,
        payload: Buffer.from('once'),
      }),
    ).finish();
    await Promise.all([1, 2, 3].map(() => room.publishRaw(again)));
    await room.stage.publish([{ text: 'the end' }]);
    await eventually(async () => (await room.effects(durable)).includes('the end'));
    await expect(room.stage.stored()).resolves.toHaveLength(5);
    await expect(room.effects(durable)).resolves.toEqual(['once', 'the end']);
  });

  it('have one effect when two replicas consume together', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    room.record(durable, { concurrency: 3, batchSize: 5 });
    room.record(durable, { concurrency: 3, batchSize: 5 });
    const texts = Array.from({ length: 500 }, (_, index) => `event ${index}`);
    await room.stage.publish(texts.map((entry, index) => ({ text: entry, accountId: index })));
    await eventually(async () => (await room.effects(durable)).length >= texts.length);
    expect((await room.effects(durable)).sort()).toEqual([...texts].sort());
  });

  it('of one account stay in order when several are worked on at once', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    room.record(durable, { concurrency: 4, batchSize: 3 });
    await room.stage.publish(
      Array.from({ length: 200 }, (_, index) => ({ text: `${index % 5} ${index}`, accountId: index % 5 })),
    );
    await eventually(async () => (await room.effects(durable)).length === 200);
    for (const account of [0, 1, 2, 3, 4]) {
      const numbers = (await room.effects(durable))
        .filter((entry) => entry.startsWith(`${account} `))
        .map((entry) => Number(entry.split(' ')[1]));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  });

  it('reach a consumer of several types, and no other', async () => {
    room.stage.relay.start();
    const noun = unique('noun');
    const durable = unique('consumer');
    const types = [
      `identity.${noun}.created`,
      `identity.${noun}.deleted`,
      `billing.${noun}.a`,
      `webhook.${noun}.b`,
      `billing.${noun}.b`,
    ] as const;
    room.record(durable, { events: [textEvent(types[0]), textEvent(types[2]), textEvent(types[4])] });
    await room.stage.publish(types.map((type) => ({ text: type, type })));
    await eventually(async () => (await room.effects(durable)).includes(`billing.${noun}.b`));
    await expect(room.effects(durable)).resolves.toEqual([
      `identity.${noun}.created`,
      `billing.${noun}.a`,
      `billing.${noun}.b`,
    ]);
  });

  it('can be handled many at a time', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    const sizes: number[] = [];
    room.stage.consume({
      durable,
      batchSize: 100,
      handleBatch: async (events, tx) => {
        sizes.push(events.length);
        if (events.length > 1 && events.some((event) => textOf(event) === 'spoils the batch')) {
          throw new Error('not in a batch');
        }
        await tx.query('INSERT INTO effects (consumer, text) SELECT $1, unnest($2::text[])', [
          durable,
          events.map(textOf),
        ]);
      },
    });
    const texts = Array.from({ length: 300 }, (_, index) => (index === 150 ? 'spoils the batch' : `event ${index}`));
    await room.stage.publish(texts.map((entry) => ({ text: entry })));
    await eventually(async () => (await room.effects(durable)).length === texts.length);
    await expect(room.effects(durable)).resolves.toEqual(texts);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  it('are given back by a consumer that stops, and none is lost', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    const texts = Array.from({ length: 400 }, (_, index) => `event ${index}`);
    await room.stage.publish(texts.map((entry) => ({ text: entry })));
    for (let round = 0; round < 4; round++) {
      const before = (await room.effects(durable)).length;
      const consumer = room.record(durable, { batchSize: 2 });
      await eventually(async () => (await room.effects(durable)).length > before, { intervalMs: 5 });
      await consumer.stop();
    }
    room.record(durable);
    await eventually(async () => (await room.effects(durable)).length >= texts.length);
    expect((await room.effects(durable)).sort()).toEqual([...texts].sort());
  });
});

import { RetryLater } from '@sabia/service-kit/events/consumer/retry-later';
import { listDeadLetters, replayDeadLetter } from '@sabia/service-kit/events/consumer/dead-letters';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { eventSubject } from '@sabia/service-kit/events/nats/topology';
import { eventually } from '@sabia/testkit/eventually';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { ownTelemetry, textOf, useEventRoom } from './event-room';
import { unique } from './event-stage';

describe('events that cannot be handled', () => {
  const room = useEventRoom();

  it('become dead letters after their tries, are listed, and do not delay other events', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    let tries = 0;
    room.stage.consume({
      durable,
      maxDeliver: 3,
      backoffMs: [20],
      handle: async (event, tx) => {
        if (textOf(event) === 'poison') {
          tries += tx === undefined ? 0 : 1;
          throw new Error('cannot swallow this\nat all');
        }
        await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, textOf(event)]);
      },
    });
    const id = newEventId();
    await room.stage.publish([{ text: 'before' }]);
    await eventually(async () => (await room.effects(durable)).length === 1);
    await room.stage.publish([{ text: 'poison', id }]);
    await room.stage.publish([{ text: 'after' }]);
    const [letter, ...others] = await eventually(async () => {
      const letters = await listDeadLetters(room.stage.nats, { durable });
      return letters.length > 0 && letters;
    });
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      durable,
      tries: 3,
      reason: 'Error: cannot swallow this at all',
      subject: eventSubject(room.stage.event.type),
    });
    expect(letter?.event).toMatchObject({ id, type: room.stage.event.type, accountId: 1 });
    expect(tries).toBeGreaterThanOrEqual(3);
    await eventually(async () => (await room.effects(durable)).length === 2);
    await expect(room.effects(durable)).resolves.toEqual(['before', 'after']);
    await eventually(async () => {
      const rows = await room.stage.database.query('SELECT 1 FROM inbox_attempts WHERE consumer = $1', [durable]);
      return rows.length === 0;
    });
  });

  it('can be replayed to their own consumer, once it is repaired, and to no other', async () => {
    room.stage.relay.start();
    const [broken, bystander] = [unique('broken'), unique('bystander')];
    let repaired = false;
    room.stage.consume({
      durable: broken,
      maxDeliver: 1,
      handle: async (event, tx) => {
        if (!repaired) {
          throw new Error('a bug');
        }
        await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [broken, textOf(event)]);
      },
    });
    room.record(bystander);
    await room.stage.publish([{ text: 'one' }, { text: 'two' }]);
    const letters = await eventually(async () => {
      const found = await listDeadLetters(room.stage.nats, { durable: broken });
      return found.length === 2 && found;
    });
    await eventually(async () => (await room.effects(bystander)).length === 2);
    // As if its rows had been cleaned away long ago.
    await room.stage.database.query('DELETE FROM inbox WHERE consumer = $1', [bystander]);
    repaired = true;
    for (const { sequence } of letters) {
      await replayDeadLetter(room.stage.nats, sequence);
    }
    await room.stage.publish([{ text: 'three' }]);
    await eventually(
      async () => (await room.effects(broken)).includes('three') && (await room.effects(bystander)).includes('three'),
    );
    await expect(room.effects(broken)).resolves.toEqual(['one', 'two', 'three']);
    await expect(room.effects(bystander)).resolves.toEqual(['one', 'two', 'three']);
    await expect(listDeadLetters(room.stage.nats, { durable: broken })).resolves.toEqual([]);
  });

  it('become dead letters at once when they are not events', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    room.record(durable);
    await room.publishRaw(Buffer.from('rubbish'));
    await room.stage.publish([{ text: 'good' }]);
    const [letter] = await eventually(async () => {
      const letters = await listDeadLetters(room.stage.nats, { durable });
      return letters.length > 0 && letters;
    });
    expect(letter).toMatchObject({ durable, event: undefined });
    await eventually(async () => (await room.effects(durable)).length === 1);
  });

  it('are counted', async () => {
    room.stage.relay.start();
    const counts: [string, number, object | undefined][] = [];
    const meter = new MeterProvider().getMeter('test');
    jest.spyOn(meter, 'createCounter').mockImplementation((name) => ({
      add: (value: number, attributes?: object) => void counts.push([name, value, attributes]),
    }));
    const durable = unique('consumer');
    room.stage.consume(
      { durable, maxDeliver: 1, handle: () => Promise.reject(new Error('no')) },
      { telemetry: { ...ownTelemetry(), meter } },
    );
    await room.stage.publish([{ text: 'poison' }]);
    await eventually(() => counts.some(([name, count]) => name === 'sabia_dead_letters' && count > 0));
    expect(counts).toContainEqual(['sabia_dead_letters', 1, { consumer: durable, type: room.stage.event.type }]);
  });

  it('are put off as often as the handler asks, without using up tries', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    let calls = 0;
    room.stage.consume({
      durable,
      maxDeliver: 2,
      backoffMs: [10],
      handle: async (event, tx) => {
        calls++;
        if (calls <= 6) {
          throw new RetryLater(10);
        }
        await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, textOf(event)]);
      },
    });
    await room.stage.publish([{ text: 'patient' }]);
    await eventually(async () => (await room.effects(durable)).length === 1);
    expect(calls).toBe(7);
    await expect(listDeadLetters(room.stage.nats, { durable })).resolves.toEqual([]);
  });

  it('are put off alone by the handler of a batch: the others share one transaction and are handled once', async () => {
    const durable = unique('consumer');
    const batches: string[][] = [];
    let refusals = 3;
    await room.stage.publish(
      Array.from({ length: 100 }, (_, index) => ({ text: index === 50 ? 'patient' : `event ${index}` })),
    );
    room.stage.relay.start();
    await eventually(async () => (await room.stage.waiting()) === 0);
    room.stage.consume({
      durable,
      batchSize: 256,
      maxDeliver: 2,
      handleBatch: async (events, tx) => {
        batches.push(events.map(textOf));
        const patient = events.filter((event) => textOf(event) === 'patient' && refusals-- > 0);
        for (const event of events.filter((each) => !patient.includes(each))) {
          await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, textOf(event)]);
        }
        return patient.map((event) => ({ event, delayMs: 20 }));
      },
    });
    await eventually(async () => (await room.effects(durable)).includes('patient'));
    expect(new Set(await room.effects(durable)).size).toBe(100);
    await expect(room.effects(durable)).resolves.toHaveLength(100);
    // Each of the others once, the patient one four times.
    expect(batches.flat()).toHaveLength(103);
    expect(batches.filter((texts) => texts.includes('patient'))).toHaveLength(4);
    await expect(listDeadLetters(room.stage.nats, { durable })).resolves.toEqual([]);
  });

  it('fail when their handler takes too long', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    let calls = 0;
    room.stage.consume({
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
        await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, textOf(event)]);
      },
    });
    await room.stage.publish([{ text: 'slow' }]);
    await eventually(async () => (await room.effects(durable)).length === 1);
    expect(calls).toBeGreaterThanOrEqual(3);
  });
});

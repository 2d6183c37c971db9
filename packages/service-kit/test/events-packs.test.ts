import { setTimeout as delay } from 'node:timers/promises';
import { listDeadLetters, replayDeadLetter } from '@sabia/service-kit/events/consumer/dead-letters';
import { RetryLater } from '@sabia/service-kit/events/consumer/retry-later';
import { eventStream, eventSubject } from '@sabia/service-kit/events/nats/topology';
import { eventually } from '@sabia/testkit/eventually';
import { textOf, useEventRoom } from './event-room';
import { unique } from './event-stage';

describe('events that share messages', () => {
  const room = useEventRoom({ packEvents: true });
  let durable: string;

  beforeEach(() => {
    durable = unique('consumer');
  });

  const texts = (many: number, first = 0): string[] => Array.from({ length: many }, (_, nth) => String(first + nth));

  /** In one transaction, of as many accounts as told in turns. */
  const publish = (events: string[], accounts = 1): Promise<void> =>
    room.stage.publish(events.map((text, nth) => ({ text, accountId: 1 + (nth % accounts) })));

  const manager = async () => (await room.stage.nats.connection()).jetstreamManager();

  /** How many messages the stream has of the events of this test. */
  const messages = async (): Promise<number> => {
    const subject = eventSubject(room.stage.event.type);
    const { state } = await (await manager()).streams.info(eventStream, { subjects_filter: subject });
    return state.subjects?.[subject] ?? 0;
  };

  const allSettled = (): Promise<unknown> =>
    eventually(async () => {
      const { num_pending, num_ack_pending } = await (await manager()).consumers.info(eventStream, durable);
      return num_pending + num_ack_pending === 0;
    });

  it('are handled once each, in order, and take few messages', async () => {
    await publish(texts(100), 7);
    room.stage.relay.start();
    room.record(durable);
    await eventually(async () => (await room.effects(durable)).length >= 100);
    expect(await room.effects(durable)).toHaveLength(100);
    // After a lone first one a relay publishes 99 events, 32 to a message.
    expect(await messages()).toBe(5);
    expect(await room.stage.stored()).toEqual(texts(100));
    await allSettled();
  });

  it('are handled once though JetStream takes them once more with others beside them', async () => {
    await publish(texts(20));
    room.stage.relay.start();
    room.record(durable);
    await eventually(async () => (await room.effects(durable)).length >= 20);
    await room.stage.relay.stop();
    // As after a crash before the mark was saved; later events have come meanwhile.
    await room.stage.database.query('UPDATE outbox_mark SET position = 0, open_from = $1, open_to = $1', [[]]);
    await publish(texts(20, 20));
    const second = room.secondRelay();
    await eventually(async () => (await room.effects(durable)).length >= 40);
    await allSettled();
    await second.stop();
    expect(await room.effects(durable)).toEqual(texts(40));
  });

  it('are tried again each at its own pace', async () => {
    const seen: string[] = [];
    let isPutOff = true;
    room.stage.consume({
      durable,
      // As long as the test.
      backoffMs: [60_000],
      handle: (event) => {
        const text = textOf(event);
        seen.push(text);
        if (isPutOff && text === 'put off') throw new RetryLater(20);
        if (text === 'poison') throw new Error('a bug');
        return Promise.resolve();
      },
    });
    room.stage.relay.start();
    const tries = (text: string): number => seen.filter((each) => each === text).length;
    await publish(['first']);
    await eventually(() => tries('first') === 1);
    await publish(['fine', 'put off', 'poison']);
    await eventually(() => tries('put off') > 12);
    isPutOff = false;
    // With the others, by itself, and in a message of its own.
    expect(tries('poison')).toBeLessThanOrEqual(3);
    expect(tries('fine')).toBeLessThanOrEqual(2);
  });

  it('leave no count of their tries once they are handled', async () => {
    const seen: string[] = [];
    room.stage.consume({
      durable,
      backoffMs: [20],
      handle: (event) => {
        const text = textOf(event);
        seen.push(text);
        // With the others and by itself; then each in a message of its own, as they wait for different times.
        const isFirst = seen.filter((each) => each === text).length <= 2;
        if (isFirst && text === 'failed') throw new Error('not yet');
        if (isFirst && text === 'put off') throw new RetryLater(500);
        return Promise.resolve();
      },
    });
    room.stage.relay.start();
    await publish(['first']);
    await eventually(() => seen.includes('first'));
    await publish(['failed', 'put off', 'fine']);
    await eventually(() => ['failed', 'put off'].every((text) => seen.filter((each) => each === text).length > 2));
    await allSettled();
    await expect(
      room.stage.database.query('SELECT FROM inbox_attempts WHERE consumer = $1', [durable]),
    ).resolves.toEqual([]);
  });

  it('are taken no more of than a consumer has room for', async () => {
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const seen: string[] = [];
    room.stage.consume({
      durable,
      batchSize: 64,
      handleBatch: async (events) => {
        await held;
        seen.push(...events.map(textOf));
      },
    });
    await publish(texts(4_000));
    room.stage.relay.start();
    await eventually(async () => (await room.stage.waiting()) === 0);
    const { num_ack_pending, num_pending } = await (await manager()).consumers.info(eventStream, durable);
    // 128 events and a request for eight messages more.
    expect(num_ack_pending).toBeLessThanOrEqual(12);
    expect(num_pending).toBeGreaterThan(100);
    end();
    await eventually(() => seen.length >= 4_000);
    await allSettled();
    expect(seen).toEqual(texts(4_000));
  });

  it('become dead letters alone, and are replayed alone', async () => {
    let isRepaired = false;
    room.stage.consume({
      durable,
      maxDeliver: 3,
      backoffMs: [20],
      handle: async (event, tx) => {
        if (!isRepaired && ['2', '5'].includes(textOf(event))) throw new Error('a bug');
        await tx.query('INSERT INTO effects (consumer, text) VALUES ($1, $2)', [durable, textOf(event)]);
      },
    });
    room.stage.relay.start();
    await publish(texts(8));
    const letters = await eventually(async () => {
      const found = await listDeadLetters(room.stage.nats, { durable });
      return found.length === 2 && found;
    });
    await allSettled();
    const others = texts(8).filter((text) => !['2', '5'].includes(text));
    expect((await room.effects(durable)).sort()).toEqual(others);
    expect(letters.map(({ tries, event }) => [tries, event?.payload.toString()]).sort()).toEqual([
      [3, '2'],
      [3, '5'],
    ]);
    isRepaired = true;
    for (const { sequence } of letters) await replayDeadLetter(room.stage.nats, sequence);
    await eventually(async () => (await room.effects(durable)).length === 8);
    await allSettled();
    expect((await room.effects(durable)).sort()).toEqual(texts(8));
  });

  it('keep the order of each account when a replica leaves in the middle of a message', async () => {
    const accounts = 3;
    const handled: { accountId: number; text: string }[] = [];
    const open = () =>
      room.stage.consume({
        durable,
        exclusive: true,
        concurrency: 2,
        batchSize: 4,
        handle: async (event) => {
          await delay(5);
          handled.push({ accountId: event.accountId, text: textOf(event) });
        },
      });
    room.stage.relay.start();
    let replica = open();
    for (let round = 0; round < 5; round += 1) {
      await publish(texts(60, 60 * round), accounts);
      await eventually(() => handled.length > 60 * round);
      const next = open();
      await replica.stop();
      replica = next;
    }
    await eventually(() => handled.length >= 300);
    await allSettled();
    for (let account = 1; account <= accounts; account += 1) {
      const own = handled.filter(({ accountId }) => accountId === account).map(({ text }) => Number(text));
      expect(own).toEqual(Array.from({ length: 100 }, (_, nth) => nth * accounts + account - 1));
    }
  });
});

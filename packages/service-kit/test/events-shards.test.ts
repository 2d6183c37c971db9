import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer } from '@sabia/service-kit/events/consumer/consumer';
import { RetryLater } from '@sabia/service-kit/events/consumer/retry-later';
import {
  durableOfShard,
  eventShards,
  eventStream,
  shardOf,
  shardSubject,
} from '@sabia/service-kit/events/nats/topology';
import { eventually } from '@sabia/testkit/eventually';
import { textOf, useEventRoom } from './event-room';
import { unique } from './event-stage';

interface Handled {
  replica: number;
  accountId: number;
  text: string;
}

const accounts = Array.from({ length: 2 * eventShards }, (_, index) => index + 1);

describe('sharded events', () => {
  // Those of a shard share messages, too.
  const room = useEventRoom({ shardEvents: true, packEvents: true });
  let durable: string;
  let handled: Handled[];
  let published: number;

  beforeEach(() => {
    room.stage.relay.start();
    durable = unique('consumer');
    handled = [];
    published = 0;
  });

  /** A replica of an exclusive consumer. It holds events for longer than another one takes to see that a part is free. */
  const open = (replica: number): Consumer =>
    room.stage.consume({
      durable,
      exclusive: true,
      concurrency: 2,
      batchSize: 32,
      handle: async (event) => {
        await delay(Math.random() * 16);
        handled.push({ replica, accountId: event.accountId, text: textOf(event) });
      },
    });

  /** The next event of each account. */
  const publish = async (rounds = 1): Promise<void> => {
    const events = Array.from({ length: rounds }, (_, nth) =>
      accounts.map((accountId) => ({ accountId, text: String(published + nth) })),
    );
    published += rounds;
    await room.stage.publish(events.flat());
  };

  const allHandled = (): Promise<unknown> => eventually(() => handled.length >= published * accounts.length);

  /** Each event of each account once, in the order of its account. */
  const expectOrder = (): void => {
    for (const accountId of accounts) {
      expect(handled.flatMap((event) => (event.accountId === accountId ? [Number(event.text)] : []))).toEqual(
        Array.from({ length: published }, (_, nth) => nth),
      );
    }
  };

  /** How many shards each of the replicas has handled events of, in a further round. */
  const shardsOf = async (replicas: number[]): Promise<number[]> => {
    const before = handled.length;
    await publish();
    await allHandled();
    const round = handled.slice(before);
    return replicas.map(
      (replica) =>
        new Set(round.flatMap((event) => (event.replica === replica ? [shardOf(event.accountId)] : []))).size,
    );
  };

  it.each([
    [2, [4, 4]],
    [3, [2, 3, 3]],
    [8, [1, 1, 1, 1, 1, 1, 1, 1]],
  ])('are divided evenly among %d replicas', async (many, shards) => {
    const replicas = Array.from({ length: many }, (_, replica) => replica);
    replicas.forEach(open);
    await eventually(async () => (await shardsOf(replicas)).sort().join() === shards.join());
    expectOrder();
  });

  it('keep the order of each account while replicas come and go', async () => {
    let oldest = open(0);
    for (let replica = 1; replica < 10; replica += 1) {
      await publish(5);
      const next = open(replica);
      await publish(5);
      await eventually(async () => {
        await publish();
        return handled.some((event) => event.replica === replica);
      });
      // Also while the one before has not taken over all that was returned.
      await oldest.stop();
      oldest = next;
    }
    await allHandled();
    expectOrder();
  });

  it('are handled once though the sessions that hold the locks are lost', async () => {
    open(0);
    open(1);
    await publish(12);
    await eventually(() => handled.length > 0);
    const lost = await room.stage.database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
      [`sabia ${durable}`],
    );
    expect(lost.length).toBeGreaterThan(0);
    await publish(12);
    await allHandled();
    expect(new Set(handled.map(({ accountId, text }) => `${accountId} ${text}`)).size).toBe(handled.length);
  });

  it('go on when JetStream has lost the position of a shard', async () => {
    open(0);
    await publish();
    await allHandled();
    const manager = await (await room.stage.nats.connection()).jetstreamManager();
    await manager.consumers.delete(eventStream, durableOfShard(durable, 3));
    await publish();
    await allHandled();
    expectOrder();
  });

  it('that are put off do not hold up those that follow a change of replicas', async () => {
    let isPutOff = true;
    const seen: string[] = [];
    const replica = () =>
      room.stage.consume({
        durable,
        exclusive: true,
        handle: (event) => {
          if (isPutOff && textOf(event) === 'put off') throw new RetryLater(1_000);
          seen.push(textOf(event));
          return Promise.resolve();
        },
      });
    const first = replica();
    await room.stage.publish([{ accountId: 3, text: 'put off' }]);
    await room.stage.publish([{ accountId: 3, text: 'before' }]);
    await eventually(() => seen.includes('before'));
    await first.stop();
    replica();
    await room.stage.publish([{ accountId: 3, text: 'after' }]);
    await eventually(() => seen.includes('after'));
    isPutOff = false;
    await eventually(() => seen.includes('put off'));
    expect([...seen].sort()).toEqual(['after', 'before', 'put off']);
  });

  it('reach consumers that share them among replicas, each once', async () => {
    room.record(durable);
    room.record(durable);
    await publish();
    await eventually(async () => (await room.effects(durable)).length >= accounts.length);
    expect(await room.effects(durable)).toHaveLength(accounts.length);
    const manager = await (await room.stage.nats.connection()).jetstreamManager();
    const subject = shardSubject(room.stage.event.type, 3);
    const { state } = await manager.streams.info(eventStream, { subjects_filter: subject });
    expect(state.subjects).toEqual({ [subject]: 1 });
  });

  it('that come once more without a shard, as from a relay that does not know them, are handled once', async () => {
    open(0);
    open(1);
    await publish();
    await allHandled();
    const manager = await (await room.stage.nats.connection()).jetstreamManager();
    for (let shard = 0; shard < eventShards; shard += 1) {
      const last_by_subj = shardSubject(room.stage.event.type, shard);
      await room.publishRaw((await manager.streams.getMessage(eventStream, { last_by_subj })).data);
    }
    await eventually(async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info(eventStream, durable);
      return num_pending + num_ack_pending === 0;
    });
    expectOrder();
  });
});

import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { outgoingEvent } from '@sabia/service-kit/events/outbox';
import { openOutboxSession } from '@sabia/service-kit/events/relay/outbox-session';
import type { OutboxRow } from '@sabia/service-kit/events/relay/outbox-session';
import { Progress } from '@sabia/service-kit/events/relay/progress';
import { createRelay } from '@sabia/service-kit/events/relay/relay';
import { createLogger } from '@sabia/service-kit/logging';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { eventually } from '@sabia/testkit/eventually';
import { useEventRoom } from './event-room';
import { log } from './event-stage';

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('events and their relays', () => {
  const room = useEventRoom();

  it('work one at a time, in order, without publishing twice, and take over from each other', async () => {
    const second = createRelay({
      databaseUrl: room.databaseUrl,
      nats: room.stage.nats,
      log,
      pollMs: 20,
      batchSize: 50,
    });
    room.stage.relay.start();
    second.start();
    const texts = Array.from({ length: 3_000 }, (_, index) => `event ${index}`);
    for (let from = 0; from < texts.length; from += 50) {
      await room.stage.publish(texts.slice(from, from + 50).map((entry) => ({ text: entry })));
      second.poke();
      if (from === 1_500) {
        await room.stage.relay.stop();
      }
    }
    await eventually(async () => (await room.stage.waiting()) === 0);
    await second.stop();
    await expect(room.stage.stored()).resolves.toEqual(texts);
  });

  it('are told by other replicas that there is something to do', async () => {
    const lazy = { databaseUrl: room.databaseUrl, nats: room.stage.nats, log, pollMs: 600_000 };
    const [working, waiting] = [createRelay(lazy), createRelay(lazy)];
    working.start();
    await room.stage.publish([{ text: 'first' }]);
    await eventually(async () => (await room.stage.waiting()) === 0);
    waiting.start();
    await eventually(async () => {
      await room.stage.publish([{ text: 'next' }]);
      waiting.poke();
      await eventually(async () => (await room.stage.waiting()) === 0, { timeoutMs: 300 });
      return true;
    });
    await Promise.all([working.stop(), waiting.stop()]);
  });

  it('do not pile up listeners while NATS is away', async () => {
    const listeners = new Set<unknown>();
    let looks = 0;
    const nats: Nats = {
      connected: false,
      connection: () => new Promise(() => undefined),
      onStatus(listener) {
        looks += 1;
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: () => Promise.resolve(),
    };
    const relay = createRelay({ databaseUrl: room.databaseUrl, nats, log, lagLookMs: 5 });
    relay.start();
    await eventually(() => looks > 10);
    expect(listeners.size).toBeLessThanOrEqual(1);
    await relay.stop();
    expect(listeners.size).toBe(0);
  });

  it('publish again without a second copy what was stored but not noted', async () => {
    await room.stage.publish([{ text: 'one' }, { text: 'two' }]);
    const [before] = await room.stage.database.query<{ position: number }>('SELECT position FROM outbox_mark');
    room.stage.relay.start();
    await eventually(async () => (await room.stage.waiting()) === 0);
    await room.stage.database.query('UPDATE outbox_mark SET position = $1', [before?.position]);
    await room.stage.publish([{ text: 'three' }]);
    await eventually(async () => (await room.stage.waiting()) === 0);
    await expect(room.stage.stored()).resolves.toEqual(['one', 'two', 'three']);
  });

  it('publish an event that is committed after later ones, and wait for none that was rolled back', async () => {
    const { database, outbox, event, relay } = room.stage;
    const write = (tx: Transaction, text: string) => outbox.write(tx, [outgoingEvent(event, text, { accountId: 1 })]);
    const open = async () =>
      (await database.query<{ open: string }>('SELECT open_from::text AS open FROM outbox_mark'))[0];
    relay.start();
    const late = database.transaction(async (tx) => {
      await write(tx, 'late');
      await room.stage.publish([{ text: 'early' }]);
      await eventually(async () => (await room.stage.stored()).includes('early'));
      await eventually(async () => (await open())?.open !== '{}');
    });
    await late;
    await eventually(async () => (await room.stage.stored()).length === 2);
    await expect(room.stage.stored()).resolves.toEqual(['early', 'late']);
    const undone = database.transaction(async (tx) => {
      await write(tx, 'undone');
      await room.stage.publish([{ text: 'last' }]);
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    await eventually(async () => (await room.stage.waiting()) === 0 && (await open())?.open === '{}');
    await expect(room.stage.stored()).resolves.toEqual(['early', 'late', 'last']);
  });

  it('read what is asked for alone, of however many events, by a plan that was made when there were none', async () => {
    const { database } = room.stage;
    const entriesRead = async () => {
      const sum = `SELECT sum(idx_scan)::integer AS looks, sum(idx_tup_read)::integer AS entries
                   FROM pg_stat_user_indexes WHERE relname LIKE 'outbox\\__'`;
      return (await database.query<{ looks: number; entries: number }>(sum))[0]!;
    };
    const before = await entriesRead();
    const session = await openOutboxSession(room.databaseUrl);
    // The sixth time a statement is run PostgreSQL may keep its plan.
    for (let times = 0; times < 6; times += 1) {
      await session.look([{ from: 1, to: 2 }], 100);
      await session.read(0, 10);
    }
    await room.stage.publish(Array.from({ length: 3_000 }, (_, nth) => ({ text: `event ${nth}` })));
    const [{ position: first }] = (await session.read(0, 1)) as [OutboxRow];
    const span = (from: number) => ({ from: first + from, to: first + from + 1 });
    for (let times = 0; times < 10; times += 1) {
      const { rows } = await session.look([span(1), span(2_000)], 100);
      expect(rows.map(({ position }) => position - first)).toEqual([1, 2, 2_000, 2_001]);
      expect(await session.read(first + 1_000, 10)).toHaveLength(10);
    }
    // PostgreSQL counts what a session has read when it ends.
    await session.close();
    await eventually(async () => (await entriesRead()).looks > before.looks);
    expect((await entriesRead()).entries - before.entries).toBeLessThan(1_000);
  });

  it('wait for an event whose transaction is younger than one that was published after it', async () => {
    const { database, outbox, event } = room.stage;
    const write = (tx: Transaction, text: string) => outbox.write(tx, [outgoingEvent(event, text, { accountId: 1 })]);
    const textsOf = (rows: OutboxRow[]) => rows.map(({ payload }) => event.decode(payload));
    const session = await openOutboxSession(room.databaseUrl);
    const progress = new Progress(await session.loadMark());
    const look = async () => {
      const { rows, transactions } = await session.look(progress.open, 10);
      progress.foundNothing(transactions);
      return textsOf(rows);
    };
    const [written, mayCommit] = [signal(), signal()];
    let younger: Promise<void> | undefined;
    try {
      await database.transaction(async (elder) => {
        await elder.query('SELECT pg_current_xact_id()');
        younger = database.transaction(async (tx) => {
          await write(tx, 'of the younger');
          written.resolve();
          await mayCommit.promise;
        });
        await written.promise;
        await write(elder, 'of the elder');
      });
      const rows = await session.read(progress.position, 10);
      expect(textsOf(rows)).toEqual(['of the elder']);
      progress.published(rows);
      expect(await look()).toEqual([]);
      expect(await look()).toEqual([]);
      mayCommit.resolve();
      await younger;
      expect(await look()).toEqual(['of the younger']);
    } finally {
      mayCommit.resolve();
      await younger;
      await session.close();
    }
  });

  it('empty the slot that comes next as a whole, once all in it is old and published', async () => {
    const { database } = room.stage;
    const [next] = await database.query<{ slot: number }>(
      'SELECT (floor(extract(epoch FROM now()) / 7200)::bigint + 1) % 4 AS slot',
    );
    const insert = (age: string) =>
      database.query(
        `INSERT INTO outbox (slot, id, type, version, account_id, occurred_at, traceparent, tracestate, payload)
         VALUES ($1, gen_random_uuid(), $2, 1, 1, now() - $3::interval, '', '', '')`,
        [next?.slot, room.stage.event.type, age],
      );
    const allIsPublished = () => database.query('UPDATE outbox_mark SET position = (SELECT max(position) FROM outbox)');
    const left = async () => (await database.query('SELECT FROM outbox WHERE slot = $1', [next?.slot])).length;
    const session = await openOutboxSession(room.databaseUrl);
    try {
      await insert('5 hours');
      await session.emptyNextSlot();
      expect(await left()).toBe(1);
      await allIsPublished();
      await database.transaction(async (tx) => {
        await tx.query('SELECT FROM outbox');
        await session.emptyNextSlot();
      });
      expect(await left()).toBe(1);
      await session.emptyNextSlot();
      expect(await left()).toBe(0);
      await insert('5 hours');
      await insert('3 hours');
      await allIsPublished();
      await session.emptyNextSlot();
      expect(await left()).toBe(2);
    } finally {
      await session.close();
    }
  });

  it('keep events in the outbox, and say why, while the streams cannot have the replicas that are asked for', async () => {
    const lines: string[] = [];
    const relay = createRelay({
      databaseUrl: room.databaseUrl,
      // The server of the tests is alone.
      nats: Object.assign(room.stage.nats, { streamReplicas: 3 }),
      log: createLogger({
        name: 'test',
        level: 'warn',
        destination: { write: (line: string) => void lines.push(line) },
      }),
      pollMs: 20,
    });
    try {
      relay.start();
      await room.stage.publish([{ text: 'safe' }]);
      await eventually(() => lines.join().includes('replicas > 1 not supported in non-clustered mode'));
      expect(await room.stage.waiting()).toBe(1);
    } finally {
      await relay.stop();
    }
  });
});

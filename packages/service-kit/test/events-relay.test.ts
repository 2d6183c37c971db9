import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { createRelay } from '@sabia/service-kit/events/relay/relay';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { useEventRoom } from './event-room';
import { log } from './event-stage';

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
    await eventually(async () => (await room.stage.outboxSize()) === 0);
    await second.stop();
    await expect(room.stage.stored()).resolves.toEqual(texts);
  });

  it('are told by other replicas that there is something to do', async () => {
    const lazy = { databaseUrl: room.databaseUrl, nats: room.stage.nats, log, pollMs: 600_000 };
    const [working, waiting] = [createRelay(lazy), createRelay(lazy)];
    working.start();
    await room.stage.publish([{ text: 'first' }]);
    await eventually(async () => (await room.stage.outboxSize()) === 0);
    waiting.start();
    await eventually(async () => {
      await room.stage.publish([{ text: 'next' }]);
      waiting.poke();
      await eventually(async () => (await room.stage.outboxSize()) === 0, { timeoutMs: 300 });
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

  it('publish again without a second copy what was stored but not deleted', async () => {
    await room.stage.publish([{ text: 'one' }, { text: 'two' }]);
    await room.stage.database.query('CREATE TABLE kept AS SELECT * FROM outbox');
    room.stage.relay.start();
    await eventually(async () => (await room.stage.outboxSize()) === 0);
    await room.stage.database.query(
      `INSERT INTO outbox (id, type, version, account_id, occurred_at, traceparent, tracestate, payload)
       SELECT id, type, version, account_id, occurred_at, traceparent, tracestate, payload FROM kept ORDER BY position`,
    );
    await eventually(async () => (await room.stage.outboxSize()) === 0);
    await expect(room.stage.stored()).resolves.toEqual(['one', 'two']);
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
      expect(await room.stage.outboxSize()).toBe(1);
    } finally {
      await relay.stop();
    }
  });
});

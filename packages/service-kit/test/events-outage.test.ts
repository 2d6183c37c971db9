import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, migrateService, serviceNames } from '@sabia/embedded/database';
import type { ServiceName } from '@sabia/embedded/database';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { broadcast, onBroadcast } from '@sabia/service-kit/events/nats/broadcast';
import { listDeadLetters } from '@sabia/service-kit/events/consumer/dead-letters';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { createRelay } from '@sabia/service-kit/events/relay/relay';
import { runInScope } from '@sabia/service-kit/request-scope';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { eventually } from '@sabia/testkit/eventually';
import { sharedCache } from '@sabia/testkit/run-homes';
import { textOf } from './event-room';
import { createEventStage, log, unique } from './event-stage';
import type { EventStage } from './event-stage';

/** Servers of its own, because it takes them away. */
describe('outages', () => {
  let home: string;
  let servers: Servers;
  let databaseUrl: string;
  let stage: EventStage;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sabia-outage-'));
    servers = await startServers({ home, cache: sharedCache, durable: false, only: ['postgres', 'nats'] });
    const passwords = Object.fromEntries(serviceNames.map((name) => [name, "it's secret"])) as Record<
      ServiceName,
      string
    >;
    await bootstrap(servers.postgres.url, passwords);
    const url = new URL(servers.postgres.url);
    url.username = 'sabia_webhook';
    url.password = "it's secret";
    databaseUrl = url.href;
    await migrateService('webhook', databaseUrl);
  });

  afterAll(async () => {
    await servers.stop();
    await rm(home, { recursive: true, force: true });
  });

  beforeEach(async () => {
    stage = createEventStage(databaseUrl, servers.nats.url);
    await stage.database.query(
      'CREATE TABLE IF NOT EXISTS effects (nth bigint GENERATED ALWAYS AS IDENTITY, text text)',
    );
    await stage.database.query('TRUNCATE effects, outbox');
  });

  afterEach(() => stage.close());

  const effects = async () =>
    (await stage.database.query<{ text: string }>('SELECT text FROM effects ORDER BY nth')).map((row) => row.text);
  const record = (durable: string) =>
    stage.consume({
      durable,
      maxDeliver: 2,
      backoffMs: [10],
      handle: async (event, tx) => {
        await tx.query('INSERT INTO effects (text) VALUES ($1)', [textOf(event)]);
      },
    });
  const publishInBackground = (count: number) => {
    const texts = Array.from({ length: count }, (_, index) => `event ${index}`);
    const publishing = (async () => {
      for (let from = 0; from < count; from += 20) {
        await stage.publish(texts.slice(from, from + 20).map((text) => ({ text })));
      }
    })();
    return { texts, publishing };
  };

  describe('of NATS', () => {
    it('do not keep a service from starting, and nothing is lost', async () => {
      await servers.nats.stop();
      const late = createEventStage(databaseUrl, servers.nats.url);
      late.relay.start();
      const handled: string[] = [];
      late.consume({
        durable: unique('consumer'),
        handle: async (event) => void handled.push(textOf(event)),
      });
      await late.publish([{ text: 'early' }]);
      expect(late.nats.connected).toBe(false);
      await servers.nats.start();
      await eventually(() => handled.length === 1);
      await late.close();
    });

    it('do not keep a service from stopping', async () => {
      await servers.nats.stop();
      const lonely = createEventStage(databaseUrl, servers.nats.url);
      lonely.relay.start();
      lonely.consume({ durable: unique('consumer'), handle: () => Promise.resolve() });
      await lonely.close();
      await servers.nats.start();
    });

    it.each(['stop', 'kill'] as const)('lose no event and keep the order (%s)', async (how) => {
      stage.relay.start();
      record(unique('consumer'));
      const { texts, publishing } = publishInBackground(4_000);
      for (let round = 1; round <= 3; round++) {
        await eventually(async () => (await effects()).length >= round * 500);
        await servers.nats[how]();
        await servers.nats.start();
      }
      await publishing;
      await eventually(async () => (await effects()).length >= texts.length);
      await eventually(async () => (await stage.waiting()) === 0);
      await expect(stage.stored()).resolves.toEqual(texts);
      expect((await effects()).sort()).toEqual([...texts].sort());
    });

    it('of a silent server are noticed', async () => {
      let refused = 0;
      const meter = new MeterProvider().getMeter('test');
      jest.spyOn(meter, 'createCounter').mockImplementation((name) => ({
        add: (value: number) => {
          refused += name === 'sabia_outbox_refused_events' ? value : 0;
        },
      }));
      const relay = createRelay({ databaseUrl, nats: stage.nats, log, pollMs: 50, telemetry: { meter } });
      relay.start();
      record(unique('consumer'));
      await stage.publish([{ text: 'before' }]);
      await eventually(async () => (await effects()).length === 1);
      servers.nats.pause();
      await stage.publish([{ text: 'during' }]);
      await eventually(() => refused > 0);
      await expect(stage.waiting()).resolves.toBe(1);
      servers.nats.resume();
      await eventually(async () => (await effects()).length === 2);
      await expect(effects()).resolves.toEqual(['before', 'during']);
      await relay.stop();
    });

    it('that lose the streams are repaired', async () => {
      stage.relay.start();
      record(unique('consumer'));
      await stage.publish([{ text: 'before' }]);
      await eventually(async () => (await effects()).length === 1);
      const manager = await (await stage.nats.connection()).jetstreamManager();
      await manager.streams.delete('SABIA');
      await stage.publish([{ text: 'after' }]);
      await eventually(async () => (await effects()).length === 2);
    });

    it('that lose the streams lose no event that a service has not handled, whoever makes them anew', async () => {
      const relay = createRelay({ databaseUrl, nats: stage.nats, log, pollMs: 50, streamLookMs: 100 });
      relay.start();
      await stage.publish([{ text: 'one' }, { text: 'two' }]);
      await eventually(async () => (await stage.waiting()) === 0);
      const connection = await stage.nats.connection();
      const manager = await connection.jetstreamManager();
      await manager.streams.delete('SABIA');
      await ensureStreams(connection);
      record(unique('consumer'));
      await eventually(async () => (await effects()).length === 2);
      await expect(effects()).resolves.toEqual(['one', 'two']);
      await relay.stop();
    });

    it('are errors for the sender of a broadcast; listeners receive again afterwards', async () => {
      const subject = `sabia-broadcast.${unique('test')}`;
      const heard: string[] = [];
      const listener = connectNats({ url: servers.nats.url, name: 'listener', log });
      onBroadcast(listener, subject, (bytes) => heard.push(Buffer.from(bytes).toString()));
      await (await listener.connection()).flush();
      await stage.nats.connection();
      await broadcast(stage.nats, subject, Buffer.from('one'));
      await eventually(() => heard.length === 1);
      await servers.nats.stop();
      await eventually(() => !stage.nats.connected);
      await expect(broadcast(stage.nats, subject, Buffer.from('lost'))).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
      await servers.nats.start();
      await eventually(() => stage.nats.connected && listener.connected);
      await broadcast(stage.nats, subject, Buffer.from('two'));
      await eventually(() => heard.length === 2);
      expect(heard).toEqual(['one', 'two']);
      await listener.close();
    });
  });

  describe('of PostgreSQL', () => {
    it('are 503 with a time to try again, and end by themselves', async () => {
      await stage.database.check();
      await servers.postgres.stop();
      const unavailable = { name: 'ServiceError', code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 };
      await expect(stage.database.query('SELECT 1')).rejects.toMatchObject(unavailable);
      await expect(stage.database.transaction((tx) => tx.query('SELECT 1'))).rejects.toMatchObject(unavailable);
      await expect(stage.database.check()).rejects.toMatchObject(unavailable);
      await servers.postgres.start();
      await eventually(() => stage.database.query('SELECT 1'));
      await stage.database.check();
    });

    it('that fall silent do not hold a request beyond its end', async () => {
      const controller = new AbortController();
      const reason = new Error('client gone');
      let backend = 0;
      const stuck = runInScope({ requestId: 'test', signal: controller.signal }, () =>
        stage.database.transaction(async (tx) => {
          const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          backend = row?.pid ?? 0;
          process.kill(backend, 'SIGSTOP');
          await tx.query('SELECT 1');
        }),
      );
      const settled = expect(stuck).rejects.toBe(reason);
      await eventually(() => backend > 0);
      controller.abort(reason);
      await settled;
      process.kill(backend, 'SIGCONT');
      await expect(stage.database.query('SELECT 1')).resolves.toHaveLength(1);
    });

    it('are 503 for requests that are in the middle of a transaction', async () => {
      const interrupted = stage.database.transaction(async (tx) => {
        await tx.query('SELECT pg_sleep(60)');
      });
      const settled = expect(interrupted).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await eventually(async () => {
        const rows = await stage.database.query("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'");
        return rows.length === 1;
      });
      await servers.postgres.kill();
      await settled;
      await servers.postgres.start();
    });

    it('use up no try, lose no event and keep the order', async () => {
      stage.relay.start();
      const durable = unique('consumer');
      record(durable);
      await stage.publish(Array.from({ length: 3_000 }, (_, index) => ({ text: `event ${index}` })));
      for (let round = 1; round <= 3; round++) {
        await eventually(async () => (await effects()).length >= round * 300, { intervalMs: 5 });
        await servers.postgres.stop();
        await expect(stage.database.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        await servers.postgres.start();
      }
      await eventually(async () => (await effects()).length >= 3_000);
      await expect(effects()).resolves.toEqual(Array.from({ length: 3_000 }, (_, index) => `event ${index}`));
      await expect(listDeadLetters(stage.nats, { durable })).resolves.toEqual([]);
      await expect(
        stage.database.query('SELECT 1 FROM inbox_attempts WHERE consumer = $1', [durable]),
      ).resolves.toEqual([]);
    });
  });
});

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrap, databaseUrl, migrateService, roleOf, serviceNames } from '@sabia/embedded/database';
import type { ServiceName } from '@sabia/embedded/database';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { amountOf } from '@sabia/testkit/amount';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import { sharedCache } from '@sabia/testkit/run-homes';
import { callEvent, envelopeOf } from './harness';

// A generous limit: nothing here is judged by its speed.
jest.setTimeout(900_000);

const events = amountOf(20_000);
const accountId = 77;
const log = createLogger({ name: 'test', level: 'silent' });

let home: string;
let servers: Servers;
let url: string;
let sql: Database;
let nats: Nats;
let worker: ChildProcess | undefined;

/** Servers of its own, because the test stops them. */
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'sabia-chaos-'));
  servers = await startServers({ home, cache: sharedCache, only: ['postgres', 'nats'] });
  const passwords = Object.fromEntries(serviceNames.map((name) => [name, 'test'])) as Record<ServiceName, string>;
  await bootstrap(servers.postgres.url, passwords);
  url = databaseUrl(servers.postgres.url, 'postgres', { name: roleOf('webhook'), password: 'test' });
  await migrateService('webhook', url);
  sql = createDatabase({ ...patient, url, applicationName: 'test', poolSize: 2, log });
  nats = connectNats({ url: servers.nats.url, name: 'test', log });
  await ensureStreams(await nats.connection());
});

afterAll(async () => {
  worker?.kill('SIGKILL');
  await sql?.close();
  await nats?.close();
  await servers?.stop();
  await rm(home, { recursive: true, force: true });
});

function startWorker(): ChildProcess {
  return spawn(process.execPath, [path.join(__dirname, '..', 'dist', 'main.js')], {
    stdio: 'ignore',
    env: {
      DATABASE_URL: url,
      NATS_URL: servers.nats.url,
      GRPC_HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      ALLOW_PRIVATE_WEBHOOKS: 'true',
      WEBHOOK_TIMEOUT_MS: '5000',
      DELIVERY_LEASE_MS: '10000',
    },
  });
}

/** Kills the process without warning, like a machine that fails. */
async function killWorker(): Promise<void> {
  const doomed = worker!;
  const gone = once(doomed, 'exit');
  doomed.kill('SIGKILL');
  await gone;
}

interface CountingReceiver {
  server: Server;
  url: string;
  /** Webhook-ids by event id, in the order of their arrival. */
  seen: Map<string, string[]>;
  count: number;
  /** Called with every request before it is answered. */
  onRequest: (response: ServerResponse) => boolean;
}

async function openCountingReceiver(): Promise<CountingReceiver> {
  const receiver: CountingReceiver = {
    server: createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { eventId } = JSON.parse(Buffer.concat(chunks).toString()) as { eventId: string };
        const ids = receiver.seen.get(eventId) ?? [];
        receiver.seen.set(eventId, [...ids, String(request.headers['webhook-id'])]);
        receiver.count += 1;
        if (receiver.onRequest(response)) {
          response.writeHead(200, { 'content-length': 0 }).end();
        }
      });
    }),
    url: '',
    seen: new Map(),
    count: 0,
    onRequest: () => true,
  };
  await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}/`;
  return receiver;
}

async function publish(): Promise<string[]> {
  const ids: string[] = [];
  const names = ['created', 'answered', 'ended', 'recorded'] as const;
  const publishCall = async (): Promise<void> => {
    const call = { accountId, callId: randomUUID() };
    for (const name of names) {
      const event = callEvent(name, call);
      const { id, type } = event;
      ids.push(id);
      const bytes = envelopeOf(event);
      // Like the outbox: published again under the same id until JetStream has stored it.
      await eventually(
        async () =>
          (await nats.connection()).jetstream().publish(`sabia.${type}`, bytes, { msgID: id, timeout: 2_000 }),
        { intervalMs: 200 },
      );
    }
  };
  let left = events / names.length;
  const publisher = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await publishCall();
    }
  };
  await Promise.all(Array.from({ length: 64 }, publisher));
  return ids;
}

test('thousands of events, a worker that is killed again and again, NATS and PostgreSQL restarted: none is lost', async () => {
  const receiver = await openCountingReceiver();
  try {
    const [integration] = await sql.query<{ id: number }>(
      `INSERT INTO integrations (account_id, user_id, gateway, webhook, metadata, settings, constraint_pairs, secret,
         created_at, updated_at)
       VALUES ($1, 1, 'crm', true, '{}', $2, '{}', decode(repeat('ab', 32), 'hex'), now(), now()) RETURNING id`,
      [
        accountId,
        JSON.stringify({
          url: receiver.url,
          version: '1.8',
          types: ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded'],
          headers: {},
        }),
      ],
    );
    worker = startWorker();
    const published = publish();

    let killAt = 0;
    let kills = 0;
    receiver.onRequest = () => {
      if (killAt === 0 || receiver.count < killAt) {
        return true;
      }
      killAt = 0;
      kills += 1;
      // Received and never answered: certainly between the POST and the commit.
      worker!.kill('SIGKILL');
      return false;
    };
    const reached = (count: number) =>
      eventually(() => receiver.seen.size >= count, { timeoutMs: 300_000, intervalMs: 20 });
    const killDuringPost = async (): Promise<void> => {
      const gone = once(worker!, 'exit');
      killAt = receiver.count + randomInt(1, events / 40);
      await gone;
      worker = startWorker();
    };

    await reached(events / 10);
    await killDuringPost();
    await reached(events / 4);
    await servers.nats.stop();
    await delay(randomInt(200, 1_000));
    await servers.nats.start();
    await killDuringPost();
    await reached(events * 0.45);
    await servers.postgres.stop();
    await delay(randomInt(200, 1_000));
    await servers.postgres.start();
    await reached(events * 0.6);
    await servers.postgres.kill();
    await killWorker();
    await servers.postgres.start();
    worker = startWorker();
    await killDuringPost();
    await servers.nats.kill();
    await servers.nats.start();

    const ids = await published;
    await eventually(() => receiver.seen.size >= events, { timeoutMs: 600_000, intervalMs: 100 });
    await eventually(
      async () => {
        const [row] = await sql.query<{ open: number }>('SELECT count(*)::integer AS open FROM delivery_queue');
        return row?.open === 0;
      },
      { intervalMs: 200 },
    );

    expect(kills).toBe(3);
    expect(receiver.seen.size).toBe(events);
    expect(ids.filter((id) => !receiver.seen.has(id))).toEqual([]);
    // A receiver that remembers webhook-ids sees each event once.
    const differing = [...receiver.seen.values()].filter((webhookIds) => new Set(webhookIds).size > 1);
    expect(differing).toEqual([]);

    const log = await sql.query<{ eventId: string; webhookId: string; status: string; attempts: number; good: number }>(
      `SELECT event_id AS "eventId", 'msg_' || id AS "webhookId", status, cardinality(attempts) AS attempts,
         (SELECT count(*)::integer FROM unnest(attempts) a WHERE a ->> 'status' = '200') AS good
       FROM delivery_log WHERE integration_id = $1`,
      [integration!.id],
    );
    expect(log).toHaveLength(events);
    const disagreeing = log.filter(({ eventId, webhookId, status, attempts, good }) => {
      const received = receiver.seen.get(eventId) ?? [];
      // A POST whose process died has left no attempt; an attempt that is written has happened.
      return status !== 'delivered' || received[0] !== webhookId || good < 1 || attempts > received.length;
    });
    expect(disagreeing).toEqual([]);
  } finally {
    receiver.server.closeAllConnections();
    receiver.server.close();
  }
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import { leaseSubject } from '@sabia/service-kit/events/nats/cache-lease';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { sharedCache } from '@sabia/testkit/run-homes';
import { connect } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { createCacheDrop } from '../src/events/cache-drop';
import type { DropFromCaches } from '../src/events/cache-drop';

/** A server of its own, because it takes it away. The gateways are played; the clock stands still unless it is moved. */
const home = mkdtempSync(join(tmpdir(), 'sabia-cache-drop-'));
const log = createLogger({ name: 'test', level: 'silent' });
const clock = { now: 1_000_000 };
let servers: Servers;
let nats: Nats;
let gateways: NatsConnection;
let drop: DropFromCaches;
let received: Msg[] = [];

beforeAll(async () => {
  servers = await startServers({ home, cache: sharedCache, durable: false, only: ['nats'] });
  nats = connectNats({ url: servers.nats.url, name: 'identity', log });
  drop = createCacheDrop({ nats, log, elapsed: () => clock.now });
  gateways = await connect({
    servers: new URL(servers.nats.url).host,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  gateways.subscribe(broadcastSubject('identity.token.revoked'), {
    callback: (_error, message) => received.push(message),
  });
  await gateways.flush();
});
afterAll(async () => {
  await gateways.close();
  await nats.close();
  await servers.stop();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(async () => {
  // Nothing is unknown any more: identity has listened for longer than a lease.
  await nats.connection();
  await settled();
  await settled();
  clock.now += 1_001;
  received = [];
});

async function holdLeases(...holders: string[]): Promise<void> {
  holders.forEach((holder) => gateways.publish(leaseSubject(holder)));
  await gateways.flush();
}

function revoke(): { answered: () => boolean; answer: Promise<void> } {
  let answered = false;
  const answer = drop({ userId: 7 }).then(() => void (answered = true));
  return { answered: () => answered, answer };
}

const acknowledge = (holder: string): void => void received.at(-1)!.respond(Buffer.from(holder));
/** Everything that was sent so far has been received and worked on. A server that has just come back may be unknown to one of the two. */
async function settled(): Promise<void> {
  await eventually(() => gateways.flush().then(() => true));
  await eventually(async () => (await nats.connection()).flush().then(() => true));
  await new Promise(setImmediate);
}

test('a revocation is answered once every gateway with a lease has acknowledged it', async () => {
  await drop({ userId: 7 });
  await holdLeases('first', 'second');
  received = [];
  const { answered, answer } = revoke();
  await eventually(() => received.length === 1);
  acknowledge('first');
  await settled();
  expect(answered()).toBe(false);
  acknowledge('second');
  await answer;
});

test('a gateway that does not acknowledge is waited for until its lease is over, though it seems to renew it', async () => {
  await holdLeases('silent');
  const { answered, answer } = revoke();
  await eventually(() => received.length === 1);
  await settled();
  clock.now += 999;
  await holdLeases('silent');
  await settled();
  expect(answered()).toBe(false);
  clock.now += 1;
  await answer;
});

test('while NATS hangs the answer waits, and comes once the gateways know', async () => {
  servers.nats.pause();
  const { answered, answer } = revoke();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(answered()).toBe(false);
  servers.nats.resume();
  await answer;
  await gateways.flush();
  expect(received.length).toBeGreaterThan(0);
});

test('while NATS is away the answer waits until nothing cached can still be used', async () => {
  await servers.nats.stop();
  await eventually(() => !nats.connected);
  const { answered, answer } = revoke();
  clock.now += 10_999;
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(answered()).toBe(false);
  clock.now += 1;
  await answer;

  const next = revoke();
  await servers.nats.start();
  await eventually(() => nats.connected);
  // Gateways that identity has not heard of since it is back may hold leases.
  await settled();
  expect(next.answered()).toBe(false);
  const backAt = clock.now;
  await eventually(() => {
    clock.now += 100;
    return next.answered();
  });
  expect(clock.now - backAt).toBeLessThan(11_000);
});

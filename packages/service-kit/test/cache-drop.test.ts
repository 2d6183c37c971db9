import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { eventually } from '@sabia/testkit/eventually';
import { sharedCache } from '@sabia/testkit/run-homes';
import { connect } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { createCacheDrop } from '../src/events/caches/cache-drop';
import type { CacheDrop, CacheDropOptions } from '../src/events/caches/cache-drop';
import type { SharedCache } from '../src/events/caches/shared-cache';
import { connectNats } from '../src/events/nats/connection';
import type { Nats } from '../src/events/nats/connection';
import { createLogger } from '../src/logging';

/** A server of its own, because it takes it away. The holders are played; the clock stands still unless it is moved. */
const home = mkdtempSync(join(tmpdir(), 'sabia-cache-drop-'));
const log = createLogger({ name: 'test', level: 'silent' });
const news = Buffer.from('7');
const clock = { now: 1_000_000 };
const cache: SharedCache = { dropSubject: 'test.changed', leasePrefix: 'test.lease.', longestMs: 10_000 };
let servers: Servers;
let nats: Nats;
let holders: NatsConnection;
let drop: CacheDrop;
let dropOnceUnused: CacheDrop;
let received: Msg[] = [];
/** Who acknowledges what is received from now on. */
const acknowledging = new Set<string>();

beforeAll(async () => {
  servers = await startServers({ home, cache: sharedCache, durable: false, only: ['nats'] });
  nats = connectNats({ url: servers.nats.url, name: 'owner', log });
  const dropWith = (patience: CacheDropOptions['patience']): CacheDrop =>
    createCacheDrop({ nats, cache, patience, log, elapsed: () => clock.now });
  drop = dropWith({ ms: 11_000, from: 'change' });
  dropOnceUnused = dropWith({ ms: 2_000, from: 'outage' });
  holders = await connect({
    servers: new URL(servers.nats.url).host,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  holders.subscribe(cache.dropSubject, {
    callback(_error, message) {
      received.push(message);
      acknowledging.forEach((holder) => message.respond(Buffer.from(holder)));
    },
  });
  await holders.flush();
});
afterAll(async () => {
  await holders.close();
  await nats.close();
  await servers.stop();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(async () => {
  // Nothing is unknown any more: the owner has listened for longer than a lease.
  await nats.connection();
  await settled();
  await settled();
  clock.now += 1_001;
  received = [];
  acknowledging.clear();
});

async function holdLeases(...names: string[]): Promise<void> {
  names.forEach((name) => holders.publish(cache.leasePrefix + name));
  await holders.flush();
}

function change(dropIt = drop): { answered: () => boolean; answer: Promise<void> } {
  let answered = false;
  const answer = dropIt(news).then(() => void (answered = true));
  return { answered: () => answered, answer };
}

/** Also what is sent again later: on a busy machine a broadcast may take so long that it is. */
const acknowledge = (holder: string): void => {
  acknowledging.add(holder);
  received.forEach((message) => message.respond(Buffer.from(holder)));
};
/** Everything that was sent so far has been received and worked on. A server that has just come back may be unknown to one of the two. */
async function settled(): Promise<void> {
  await eventually(() => holders.flush().then(() => true));
  await eventually(async () => (await nats.connection()).flush().then(() => true));
  await new Promise(setImmediate);
}

/** Longer than a broadcast may take before it is tried again. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 700));

/** On a busy machine a server goes on for a moment after it was told to stop. */
async function pauseNats(): Promise<void> {
  servers.nats.pause();
  await eventually(async () => {
    const flushed = holders.flush().then(() => true);
    return !(await Promise.race([flushed, aWhile().then(() => false)]));
  });
}

/** A change is answered when this time is over, and not before. */
async function expectHeldUp({ by, forMs }: { by: CacheDrop; forMs: number }): Promise<void> {
  const { answered, answer } = change(by);
  clock.now += forMs - 1;
  await aWhile();
  expect(answered()).toBe(false);
  clock.now += 1;
  await answer;
}

test('a change is answered once every holder with a lease has acknowledged it', async () => {
  await drop(news);
  await holdLeases('first', 'second');
  received = [];
  const { answered, answer } = change();
  await eventually(() => received.length > 0);
  acknowledge('first');
  await settled();
  expect(answered()).toBe(false);
  acknowledge('second');
  await answer;
});

test('a holder that does not acknowledge is waited for until its lease is over, though it seems to renew it', async () => {
  await holdLeases('silent');
  const { answered, answer } = change();
  await eventually(() => received.length > 0);
  await settled();
  clock.now += 999;
  await holdLeases('silent');
  await settled();
  expect(answered()).toBe(false);
  clock.now += 1;
  await answer;
});

test('while NATS hangs the answer waits, and comes once the holders know', async () => {
  await pauseNats();
  const { answered, answer } = change();
  await aWhile();
  expect(answered()).toBe(false);
  servers.nats.resume();
  await answer;
  await holders.flush();
  expect(received.length).toBeGreaterThan(0);
});

test('while NATS is away the answer waits until nothing cached can still be used', async () => {
  await servers.nats.stop();
  await eventually(() => !nats.connected);
  await expectHeldUp({ by: drop, forMs: 11_000 });

  const next = change();
  await servers.nats.start();
  await eventually(() => nats.connected);
  // Holders that the owner has not heard of since it is back may hold leases.
  await settled();
  expect(next.answered()).toBe(false);
  const backAt = clock.now;
  await eventually(() => {
    clock.now += 100;
    return next.answered();
  });
  expect(clock.now - backAt).toBeLessThan(11_000);
});

test('what is kept for long is waited for until an outage has ended its use, and in a long outage not at all', async () => {
  await servers.nats.stop();
  await eventually(() => !nats.connected);
  await expectHeldUp({ by: dropOnceUnused, forMs: 2_000 });
  await dropOnceUnused(news);

  await servers.nats.start();
  await eventually(() => nats.connected);
  await settled();
  clock.now += 1_001;
  await holdLeases('first');
  received = [];
  const next = change(dropOnceUnused);
  await eventually(() => received.length > 0);
  await settled();
  expect(next.answered()).toBe(false);
  acknowledge('first');
  await next.answer;
});

test('each change is held up while NATS hangs, however long it has hung before', async () => {
  for (let hang = 1; hang <= 2; hang += 1) {
    await pauseNats();
    await expectHeldUp({ by: dropOnceUnused, forMs: 2_000 });
    servers.nats.resume();
    await settled();
    clock.now += 60_000;
  }
});

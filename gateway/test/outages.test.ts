import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { eventually } from '@sabia/testkit/eventually';
import { sharedCache } from '@sabia/testkit/run-homes';
import { freshIp, openHouse } from './fixtures/harness';
import type { Answer, House } from './fixtures/harness';

let servers: Servers;
let house: House;
const home = mkdtempSync(path.join(tmpdir(), 'sabia-outages-'));

beforeAll(async () => {
  servers = await startServers({
    home,
    cache: sharedCache,
    only: ['redis', 'nats'],
    durable: false,
    path: process.env['PATH'],
  });
  house = await openHouse({ redisUrl: servers.redis.url, natsUrl: servers.nats.url, redisTimeoutMs: 250 });
  await dependencies({ redis: 'up', nats: 'up' });
});
afterAll(async () => {
  await house.close();
  await servers.stop();
  rmSync(home, { recursive: true, force: true });
});

const dependencies = (expected: Record<string, string>): Promise<unknown> =>
  eventually(async () => {
    const { json } = await house.gateway.ask('/readyz');
    expect((json as { dependencies: object }).dependencies).toMatchObject(expected);
    return true;
  });

async function sendMany(times: number, ip: string): Promise<{ answers: Answer[]; medianMs: number }> {
  const answers: Answer[] = [];
  const took: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const started = performance.now();
    answers.push(await house.gateway.ask('/api/v1/nothing', { ip }));
    took.push(performance.now() - started);
  }
  return { answers, medianMs: took.sort((a, b) => a - b)[times >> 1]! };
}

describe('while Redis is away', () => {
  async function expectOwnCounting(): Promise<void> {
    const { answers, medianMs } = await sendMany(61, freshIp());
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(60).fill(404), 429]);
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual([
      ...Array.from({ length: 60 }, (_, index) => String(59 - index)),
      '0',
    ]);
    // One may have met the server as it went. Those after it do not wait for an answer that will not come.
    expect(medianMs).toBeLessThan(1_500);
  }

  async function expectNoPromise(): Promise<void> {
    const { token } = house.fake.addToken();
    const withKey = await house.gateway.ask('/api/v1/tools/1/use', {
      token,
      json: {},
      headers: { 'idempotency-key': 'k' },
    });
    expect([withKey.status, withKey.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(withKey.headers['retry-after']).toBe('1');
    expect((await house.gateway.ask('/api/v1/tools/1/use', { token, json: {} })).status).toBe(200);
  }

  /** Where the service keeps the key, Redis is not needed for it. */
  async function expectKeptPromise(key: string): Promise<void> {
    const { token } = house.fake.addToken();
    const lend = () =>
      house.gateway.ask('/api/v1/tools/1/lend', { token, json: {}, headers: { 'idempotency-key': key } });
    const [first, second] = [await lend(), await lend()];
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  }

  it.each([
    ['stopped', () => servers.redis.stop(), () => servers.redis.start()],
    ['killed', () => servers.redis.kill(), () => servers.redis.start()],
    ['hanging', () => Promise.resolve(servers.redis.pause()), () => Promise.resolve(servers.redis.resume())],
  ])('%s, each replica counts for itself and nothing fails or waits', async (how, takeAway, bringBack) => {
    expect((await house.gateway.ask('/api/v1/nothing')).headers['ratelimit-remaining']).toBe('59');
    await takeAway();
    await expectOwnCounting();
    await expectNoPromise();
    await expectKeptPromise(how);
    await dependencies({ redis: 'away', identity: 'up' });
    await bringBack();
    await dependencies({ redis: 'up' });
    const { answers } = await sendMany(61, freshIp());
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(60).fill(404), 429]);
    const { token } = house.fake.addToken();
    const key = { 'idempotency-key': 'again' };
    expect((await house.gateway.ask('/api/v1/tools/1/use', { token, json: {}, headers: key })).status).toBe(200);
    const replayed = await house.gateway.ask('/api/v1/tools/1/use', { token, json: {}, headers: key });
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });
});

describe('while NATS is away', () => {
  it('no token is taken from the cache', async () => {
    const { token } = house.fake.addToken();
    const status = async (): Promise<number> => (await house.gateway.ask('/api/v1/tools/9', { token })).status;
    const lookupsOf = async (times: number): Promise<number> => {
      const before = house.fake.lookups;
      for (let index = 0; index < times; index += 1) {
        expect(await status()).toBe(200);
      }
      return house.fake.lookups - before;
    };
    expect(await lookupsOf(3)).toBe(1);
    await servers.nats.stop();
    await dependencies({ nats: 'away' });
    expect(await lookupsOf(3)).toBe(3);
    house.fake.removeToken(token);
    expect(await status()).toBe(401);
    await servers.nats.start();
    await dependencies({ nats: 'up' });
    expect(await status()).toBe(401);
    const next = house.fake.addToken();
    const before = house.fake.lookups;
    await house.gateway.ask('/api/v1/tools/9', { token: next.token });
    await house.gateway.ask('/api/v1/tools/9', { token: next.token });
    expect(house.fake.lookups - before).toBe(1);
  });
});

describe('while the services are away', () => {
  it('answers 503 with Retry-After, says that it is not ready, and comes back by itself', async () => {
    const { token } = house.fake.addToken();
    await house.fake.pause();
    const refused = await eventually(async () => {
      const answer = await house.gateway.ask('/api/v1/tools', { token });
      return answer.status === 503 && answer;
    });
    expect(refused.error.code).toBe('SERVICE_UNAVAILABLE');
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-limit': '15' });
    const ready = await house.gateway.ask('/readyz');
    expect([ready.status, ready.json]).toEqual([503, expect.objectContaining({ status: 'waiting' })]);
    expect((await house.gateway.ask('/healthz')).status).toBe(200);
    await house.fake.start();
    await eventually(async () => (await house.gateway.ask('/readyz')).status === 200);
    expect((await house.gateway.ask('/api/v1/tools', { token })).status).toBe(200);
  });

  it('answers 504 when a service takes too long', async () => {
    const { token } = house.fake.addToken();
    const hasty = await house.addGateway({ requestTimeoutMs: 1_000 });
    const answer = await hasty.ask('/api/v1/tools/7?mischief=sleep', { token, headers: { 'x-request-id': 'sleeper' } });
    expect([answer.status, answer.error.code]).toEqual([504, 'GATEWAY_TIMEOUT']);
    await eventually(() => house.fake.cancelled.includes('sleeper'));
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import { sharedCache } from '@sabia/testkit/run-homes';
import { freshIp, startSetup } from './fixtures/harness';
import type { TestResponse, Setup } from './fixtures/harness';

let servers: Servers;
let setup: Setup;
const home = mkdtempSync(path.join(tmpdir(), 'sabia-outages-'));

beforeAll(async () => {
  servers = await startServers({
    home,
    cache: sharedCache,
    only: ['redis', 'nats'],
    durable: false,
    path: process.env['PATH'],
  });
  setup = await startSetup({ redisUrl: servers.redis.url, natsUrl: servers.nats.url, redisTimeoutMs: 250 });
  await dependencies({ redis: 'up', nats: 'up' });
});
afterAll(async () => {
  await setup.close();
  await servers.stop();
  rmSync(home, { recursive: true, force: true });
});

const dependencies = (expected: Record<string, string>): Promise<unknown> =>
  eventually(async () => {
    const { json } = await setup.gateway.ask('/readyz');
    expect((json as { dependencies: object }).dependencies).toMatchObject(expected);
    return true;
  });

async function sendMany(times: number, ip: string): Promise<{ responses: TestResponse[]; medianMs: number }> {
  const responses: TestResponse[] = [];
  const took: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const started = performance.now();
    responses.push(await setup.gateway.ask('/api/v1/nothing', { ip }));
    took.push(performance.now() - started);
  }
  return { responses, medianMs: took.sort((a, b) => a - b)[times >> 1]! };
}

describe('while Redis is away', () => {
  async function expectOwnCounting(): Promise<void> {
    const { responses, medianMs } = await sendMany(61, freshIp());
    expect(responses.map(({ status }) => status)).toEqual([...Array<number>(60).fill(404), 429]);
    expect(responses.map(({ headers }) => headers['ratelimit-remaining'])).toEqual([
      ...Array.from({ length: 60 }, (_, index) => String(59 - index)),
      '0',
    ]);
    // One request may have met the server as it stopped. Later ones do not wait for a response that will not come.
    expect(medianMs).toBeLessThan(promised(1_500));
  }

  async function expectNoPromise(): Promise<void> {
    const { token } = setup.fake.addToken();
    const withKey = await setup.gateway.ask('/api/v1/tools/1/use', {
      token,
      json: {},
      headers: { 'idempotency-key': 'k' },
    });
    expect([withKey.status, withKey.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(withKey.headers['retry-after']).toBe('1');
    expect((await setup.gateway.ask('/api/v1/tools/1/use', { token, json: {} })).status).toBe(200);
  }

  /** If the service keeps the key, Redis is not needed for it. */
  async function expectKeptPromise(key: string): Promise<void> {
    const { token } = setup.fake.addToken();
    const lend = () =>
      setup.gateway.ask('/api/v1/tools/1/lend', { token, json: {}, headers: { 'idempotency-key': key } });
    const [first, second] = [await lend(), await lend()];
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  }

  it.each([
    ['stopped', () => servers.redis.stop(), () => servers.redis.start()],
    ['killed', () => servers.redis.kill(), () => servers.redis.start()],
    ['hanging', () => Promise.resolve(servers.redis.pause()), () => Promise.resolve(servers.redis.resume())],
  ])('%s, each replica counts for itself and nothing fails or waits', async (how, takeAway, bringBack) => {
    expect((await setup.gateway.ask('/api/v1/nothing')).headers['ratelimit-remaining']).toBe('59');
    await takeAway();
    await expectOwnCounting();
    await expectNoPromise();
    await expectKeptPromise(how);
    await dependencies({ redis: 'away', identity: 'up' });
    await bringBack();
    await dependencies({ redis: 'up' });
    const { responses } = await sendMany(61, freshIp());
    expect(responses.map(({ status }) => status)).toEqual([...Array<number>(60).fill(404), 429]);
    const { token } = setup.fake.addToken();
    const key = { 'idempotency-key': 'again' };
    expect((await setup.gateway.ask('/api/v1/tools/1/use', { token, json: {}, headers: key })).status).toBe(200);
    const replayed = await setup.gateway.ask('/api/v1/tools/1/use', { token, json: {}, headers: key });
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });
});

describe('while NATS is away', () => {
  it('no token is taken from the cache', async () => {
    const { token } = setup.fake.addToken();
    const status = async (): Promise<number> => (await setup.gateway.ask('/api/v1/tools/9', { token })).status;
    const lookupsOf = async (times: number): Promise<number> => {
      const before = setup.fake.lookups;
      for (let index = 0; index < times; index += 1) {
        expect(await status()).toBe(200);
      }
      return setup.fake.lookups - before;
    };
    expect(await lookupsOf(3)).toBe(1);
    await servers.nats.stop();
    await dependencies({ nats: 'away' });
    expect(await lookupsOf(3)).toBe(3);
    setup.fake.removeToken(token);
    expect(await status()).toBe(401);
    await servers.nats.start();
    await dependencies({ nats: 'up' });
    expect(await status()).toBe(401);
    const next = setup.fake.addToken();
    const before = setup.fake.lookups;
    await setup.gateway.ask('/api/v1/tools/9', { token: next.token });
    await setup.gateway.ask('/api/v1/tools/9', { token: next.token });
    expect(setup.fake.lookups - before).toBe(1);
  });
});

describe('while NATS hangs', () => {
  it('a second later no token is taken from the cache, though the connection still counts as open', async () => {
    const clock = { elapsed: 0 };
    const gateway = await setup.addGateway({}, undefined, () => clock.elapsed);
    const { token } = setup.fake.addToken();
    const status = async (): Promise<number> => (await gateway.ask('/api/v1/tools/9', { token })).status;
    await eventually(async () => (await gateway.ask('/readyz')).text.includes('"nats":"up"'));
    expect(await status()).toBe(200);
    servers.nats.pause();
    try {
      setup.fake.removeToken(token);
      clock.elapsed = 999;
      expect(await status()).toBe(200);
      clock.elapsed = 1_000;
      expect(await status()).toBe(401);
      expect(gateway.logLines.filter(({ msg }) => /NATS lost/.test(String(msg)))).toEqual([]);
    } finally {
      servers.nats.resume();
    }
    await eventually(async () => (await gateway.ask('/readyz')).text.includes('"nats":"up"'));
  });
});

describe('while the services are away', () => {
  it('responds with 503 and Retry-After, becomes unready, and recovers by itself', async () => {
    const { token } = setup.fake.addToken();
    await setup.fake.pause();
    const refused = await eventually(async () => {
      const response = await setup.gateway.ask('/api/v1/tools', { token });
      return response.status === 503 && response;
    });
    expect(refused.error.code).toBe('SERVICE_UNAVAILABLE');
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-limit': '15' });
    const ready = await setup.gateway.ask('/readyz');
    expect([ready.status, ready.json]).toEqual([503, expect.objectContaining({ status: 'waiting' })]);
    expect((await setup.gateway.ask('/healthz')).status).toBe(200);
    await setup.fake.start();
    await eventually(async () => (await setup.gateway.ask('/readyz')).status === 200);
    expect((await setup.gateway.ask('/api/v1/tools', { token })).status).toBe(200);
  });

  it('responds with 504 when a service takes too long', async () => {
    const { token } = setup.fake.addToken();
    const hasty = await setup.addGateway({ requestTimeoutMs: 1_000 });
    const response = await hasty.ask('/api/v1/tools/7?fault=sleep', { token, headers: { 'x-request-id': 'sleeper' } });
    expect([response.status, response.error.code]).toEqual([504, 'GATEWAY_TIMEOUT']);
    await eventually(() => setup.fake.cancelled.includes('sleeper'));
  });
});

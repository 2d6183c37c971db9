import { Redis } from 'ioredis';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { startSetup } from './fixtures/harness';
import type { TestResponse, Setup } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

let keys = 0;
const newKey = (): string => `key-${process.pid}-${Date.now()}-${(keys += 1)}`;

function use(
  token: string,
  key: string,
  extension: unknown,
  path = '/api/v1/tools/1/use',
  signal?: AbortSignal,
): Promise<TestResponse> {
  return setup.gateway.ask(path, { token, json: { extension }, headers: { 'idempotency-key': key }, signal });
}

describe('an Idempotency-Key', () => {
  it('replays the first response to a repetition', async () => {
    const { token } = setup.fake.addToken();
    const key = newKey();
    const first = await use(token, key, '1');
    const second = await (
      await setup.addGateway()
    ).ask('/api/v1/tools/1/use', {
      token,
      json: { extension: 1, unknown: true },
      headers: { 'idempotency-key': key },
    });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(second.headers['deprecation']).toBe('true');
  });

  it('refuses a request with different content', async () => {
    const { token } = setup.fake.addToken();
    const key = newKey();
    await use(token, key, '1');
    const other = await use(token, key, '2');
    expect([other.status, other.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const elsewhere = await use(token, key, '1', '/api/v1/tools/2/use');
    expect([elsewhere.status, elsewhere.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('belongs to a user', async () => {
    const key = newKey();
    const first = await use(setup.fake.addToken().token, key, '1');
    const second = await use(setup.fake.addToken().token, key, '1');
    expect(second.text).not.toBe(first.text);
  });

  it('lets one of many concurrent requests through', async () => {
    const { token } = setup.fake.addToken();
    const key = newKey();
    const responses: TestResponse[] = [];
    const asked = Array.from({ length: 10 }, async () => responses.push(await use(token, key, 'nap')));
    await eventually(() => responses.length === 9);
    setup.fake.wake();
    await Promise.all(asked);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect([response.status, response.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    }
    expect((await use(token, key, 'nap')).headers['idempotent-replayed']).toBe('true');
  });

  it('stores a refusal by the service, but not a failure', async () => {
    const { token } = setup.fake.addToken();
    const refused = newKey();
    const first = await use(token, refused, 'credit');
    const second = await use(token, refused, 'credit');
    expect([first.status, second.status, second.text]).toEqual([402, 402, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    const failed = newKey();
    for (const wish of ['unavailable', 'unavailable', 'crash', 'ok']) {
      const response = await use(token, failed, wish);
      expect(response.headers['idempotent-replayed']).toBeUndefined();
    }
  });

  it('lets the work finish when its client disconnects', async () => {
    const { token } = setup.fake.addToken();
    const key = newKey();
    const leaving = new AbortController();
    const before = setup.fake.received.length;
    const abandoned = use(token, key, 'nap', undefined, leaving.signal);
    await eventually(() => setup.fake.received.length > before);
    leaving.abort();
    await expect(abandoned).rejects.toThrow();
    setup.fake.wake();
    const response = await eventually(async () => {
      const again = await use(token, key, 'nap');
      return again.status === 200 && again;
    });
    expect(response.headers['idempotent-replayed']).toBe('true');
  });

  it.each(['', 'x'.repeat(256), 'é'])('refuses the key %.10j', async (key) => {
    const response = await use(setup.fake.addToken().token, key, '1');
    expect([response.status, response.error.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  });

  it('is passed on to the service', async () => {
    const key = newKey();
    await use(setup.fake.addToken().token, key, '1');
    expect(setup.fake.received.at(-1)!.context.idempotencyKey).toBe(key);
  });

  it('leaves nothing readable in Redis', async () => {
    const { token } = setup.fake.addToken();
    const key = newKey();
    await use(token, key, '1');
    const redis = new Redis(testServers().redisUrl);
    const names = await redis.keys('sabia:idempotency:*');
    const values = await redis.mget(names);
    const ttls = await Promise.all(names.map((name) => redis.pttl(name)));
    redis.disconnect();
    expect(names.length).toBeGreaterThan(0);
    expect(JSON.stringify([names, values])).not.toContain(key);
    expect(JSON.stringify(values)).not.toContain('uses');
    expect(ttls.every((ttl) => ttl > 0 && ttl <= 86_400_000)).toBe(true);
  });

  it('is ignored by routes that do not honour it', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await setup.gateway.ask('/api/v1/tools', { json: {}, headers })).status).toBe(201);
  });
});

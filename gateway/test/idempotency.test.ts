import { Redis } from 'ioredis';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { openHouse } from './fixtures/harness';
import type { Answer, House } from './fixtures/harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

let keys = 0;
const newKey = (): string => `key-${process.pid}-${Date.now()}-${(keys += 1)}`;

function use(
  token: string,
  key: string,
  extension: unknown,
  path = '/api/v1/tools/1/use',
  signal?: AbortSignal,
): Promise<Answer> {
  return house.gateway.ask(path, { token, json: { extension }, headers: { 'idempotency-key': key }, signal });
}

describe('an Idempotency-Key', () => {
  it('makes a repetition give the first answer', async () => {
    const { token } = house.fake.addToken();
    const key = newKey();
    const first = await use(token, key, '1');
    const second = await (
      await house.addGateway()
    ).ask('/api/v1/tools/1/use', {
      token,
      json: { extension: 1, unknown: true },
      headers: { 'idempotency-key': key },
    });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(second.headers['deprecation']).toBe('true');
  });

  it('refuses another request', async () => {
    const { token } = house.fake.addToken();
    const key = newKey();
    await use(token, key, '1');
    const other = await use(token, key, '2');
    expect([other.status, other.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const elsewhere = await use(token, key, '1', '/api/v1/tools/2/use');
    expect([elsewhere.status, elsewhere.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('belongs to a user', async () => {
    const key = newKey();
    const first = await use(house.fake.addToken().token, key, '1');
    const second = await use(house.fake.addToken().token, key, '1');
    expect(second.text).not.toBe(first.text);
  });

  it('lets one of many through', async () => {
    const { token } = house.fake.addToken();
    const key = newKey();
    const answers: Answer[] = [];
    const asked = Array.from({ length: 10 }, async () => answers.push(await use(token, key, 'nap')));
    await eventually(() => answers.length === 9);
    house.fake.wake();
    await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect([answer.status, answer.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    }
    expect((await use(token, key, 'nap')).headers['idempotent-replayed']).toBe('true');
  });

  it('stores a refusal by the service, but no failure', async () => {
    const { token } = house.fake.addToken();
    const refused = newKey();
    const first = await use(token, refused, 'credit');
    const second = await use(token, refused, 'credit');
    expect([first.status, second.status, second.text]).toEqual([402, 402, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    const failed = newKey();
    for (const wish of ['unavailable', 'unavailable', 'crash', 'ok']) {
      const answer = await use(token, failed, wish);
      expect(answer.headers['idempotent-replayed']).toBeUndefined();
    }
  });

  it('finishes the work of a client that went away', async () => {
    const { token } = house.fake.addToken();
    const key = newKey();
    const leaving = new AbortController();
    const before = house.fake.received.length;
    const abandoned = use(token, key, 'nap', undefined, leaving.signal);
    await eventually(() => house.fake.received.length > before);
    leaving.abort();
    await expect(abandoned).rejects.toThrow();
    house.fake.wake();
    const answer = await eventually(async () => {
      const again = await use(token, key, 'nap');
      return again.status === 200 && again;
    });
    expect(answer.headers['idempotent-replayed']).toBe('true');
  });

  it.each(['', 'x'.repeat(256), 'é'])('refuses the key %.10j', async (key) => {
    const answer = await use(house.fake.addToken().token, key, '1');
    expect([answer.status, answer.error.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  });

  it('travels on to the service', async () => {
    const key = newKey();
    await use(house.fake.addToken().token, key, '1');
    expect(house.fake.received.at(-1)!.context.idempotencyKey).toBe(key);
  });

  it('leaves nothing readable in Redis', async () => {
    const { token } = house.fake.addToken();
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

  it('does nothing where the route has none', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await house.gateway.ask('/api/v1/tools', { json: {}, headers })).status).toBe(201);
  });
});

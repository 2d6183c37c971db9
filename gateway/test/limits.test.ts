import { randomBytes } from 'node:crypto';
import { eventually } from '@sabia/testkit/eventually';
import { freshIp, startSetup } from './fixtures/harness';
import type { TestResponse, Ask, Setup, TestGateway } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

async function repeat(times: number, send: () => Promise<TestResponse>): Promise<TestResponse[]> {
  const responses: TestResponse[] = [];
  for (let index = 0; index < times; index += 1) {
    responses.push(await send());
  }
  return responses;
}

const limited = ({ status }: TestResponse): boolean => status === 429;

describe('the limit of all other routes', () => {
  it('lets 60 requests pass and tells how many are left', async () => {
    const ip = freshIp();
    const begun = Date.now();
    const responses = await repeat(62, () => setup.gateway.ask('/api/v1/nothing', { ip }));
    const tookSeconds = Math.ceil((Date.now() - begun) / 1000);
    expect(responses.slice(0, 60).some(limited)).toBe(false);
    expect(responses.slice(0, 60).map(({ headers }) => headers['ratelimit-remaining'])).toEqual(
      Array.from({ length: 60 }, (_, index) => String(59 - index)),
    );
    for (const response of responses.slice(60)) {
      expect(response.status).toBe(429);
      const reset = Number(response.headers['ratelimit-reset']);
      expect(reset).toBeGreaterThanOrEqual(60 - tookSeconds);
      expect(reset).toBeLessThanOrEqual(60);
      expect(response.headers).toMatchObject({
        'ratelimit-limit': '60',
        'ratelimit-remaining': '0',
        'retry-after': String(reset),
      });
      expect(response.json).toEqual({
        error: {
          statusCode: 429,
          errorCode: 'RATE_LIMITED',
          code: 'RATE_LIMITED',
          name: 'TooManyRequests',
          message: expect.any(String) as string,
          requestId: response.headers['x-request-id'],
        },
      });
    }
    expect(limited(await setup.gateway.ask('/api/v1/nothing', { ip: freshIp() }))).toBe(false);
    expect((await setup.gateway.ask('/healthz', { ip })).status).toBe(200);
    expect((await setup.gateway.ask('/docs', { ip })).status).toBe(200);
  });

  it('counts every request of an address, whatever its outcome', async () => {
    const ip = freshIp();
    const { token } = setup.fake.addToken();
    const requests: [path: string, options: Ask][] = [
      ['/api/v1/tools/9', { token }],
      ['/api/v1/tools/9', {}],
      ['/api/v1/tools', { method: 'PUT' }],
      ['/api/v1/tools', { body: '{' }],
      ['/api/v1/tools', { body: 'x'.repeat(2_000_000) }],
      ['/api/v1/users/accessTokens', { method: 'HEAD' }],
      ['/api/v1/tools/9', { method: 'HEAD', token }],
      ['/api/v1/accounts/confirm', {}],
    ];
    const left: unknown[] = [];
    for (const [path, options] of requests) {
      left.push((await setup.gateway.ask(path, { ...options, ip })).headers['ratelimit-remaining']);
    }
    expect(left).toEqual(['59', '58', '57', '56', '55', '54', '53', '52']);
    const preflight = await setup.gateway.ask('/api/v1/tools', { method: 'OPTIONS', ip });
    expect(preflight.headers['ratelimit-remaining']).toBe('52');
  });

  it('keeps a flood of guessed tokens away from identity, and lets a known token pass', async () => {
    const ip = freshIp();
    const { token } = setup.fake.addToken();
    // The known token must stay in the cache on a slow machine too.
    const gateway = await setup.addGateway({ tokenCacheTtlMs: 600_000 });
    expect((await gateway.ask('/api/v1/tools/9', { token, ip: freshIp() })).status).toBe(200);
    const before = setup.fake.lookups;
    const responses = await repeat(90, () =>
      gateway.ask('/api/v1/tools', { token: randomBytes(48).toString('base64url'), ip }),
    );
    expect(responses.filter(limited).length).toBe(75);
    expect(setup.fake.lookups - before).toBe(60);
    // A busy machine may renew the lease of the cache late. Long before the limit is over, the token passes.
    const passes = async () => (await gateway.ask('/api/v1/tools', { token, ip })).status === 200;
    await eventually(passes, { timeoutMs: 20_000 });
  });

  it('asks identity once about a bad token that is sent again and again', async () => {
    const ip = freshIp();
    const before = setup.fake.lookups;
    await repeat(20, () => setup.gateway.ask('/api/v1/tools/9', { token: 'stale', ip }));
    expect(setup.fake.lookups - before).toBe(1);
    const { token } = setup.fake.addToken();
    expect((await setup.gateway.ask('/api/v1/tools/9', { token, ip })).status).toBe(200);
  });

  it('is shared by replicas', async () => {
    const second = await setup.addGateway();
    const ip = freshIp();
    await repeat(59, () => setup.gateway.ask('/api/v1/nothing', { ip }));
    expect((await second.ask('/api/v1/nothing', { ip })).headers['ratelimit-remaining']).toBe('0');
    expect(limited(await setup.gateway.ask('/api/v1/nothing', { ip }))).toBe(true);
    expect(limited(await second.ask('/api/v1/nothing', { ip }))).toBe(true);
  });

  it('counts concurrent requests exactly', async () => {
    const ip = freshIp();
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => setup.gateway.ask('/api/v1/nothing', { ip })),
    );
    expect(responses.filter(limited)).toHaveLength(40);
  });

  it('counts an IPv6 network as one client', async () => {
    await repeat(60, () =>
      setup.gateway.ask('/api/v1/nothing', { ip: `2001:db8:${process.pid.toString(16)}::${freshIp().split('.')[1]}` }),
    );
    expect(
      limited(await setup.gateway.ask('/api/v1/nothing', { ip: `2001:db8:${process.pid.toString(16)}::ffff` })),
    ).toBe(true);
  });
});

describe('the other limits', () => {
  it('login: 10 by address', async () => {
    const ip = freshIp();
    const responses = await repeat(11, () => setup.gateway.ask('/api/v1/users/login', { ip, json: {} }));
    expect(responses.map(limited).indexOf(true)).toBe(10);
    expect(responses[0]!.headers['ratelimit-limit']).toBe('10');
    expect((await setup.gateway.ask('/api/v1/nothing', { ip })).headers['ratelimit-remaining']).toBe('59');
  });

  it('list: 15 by user, from all addresses together', async () => {
    const { token } = setup.fake.addToken();
    const other = setup.fake.addToken();
    const responses = await repeat(16, () => setup.gateway.ask('/api/v1/tools', { token }));
    expect(responses.map(limited).indexOf(true)).toBe(15);
    expect(limited(await setup.gateway.ask('/api/v1/tools', { token: other.token }))).toBe(false);
  });

  it('list: two tokens of one user share it', async () => {
    const first = setup.fake.addToken();
    const second = setup.fake.addToken({ userId: first.caller.userId });
    await repeat(15, () => setup.gateway.ask('/api/v1/tools', { token: first.token }));
    expect(limited(await setup.gateway.ask('/api/v1/tools', { token: second.token }))).toBe(true);
  });

  it('calls: 15 by extension and user, as number or text', async () => {
    const { token } = setup.fake.addToken();
    const use = (extension: unknown, as = token): Promise<TestResponse> =>
      setup.gateway.ask('/api/v1/tools/1/use', { token: as, json: { extension } });
    let turn = 0;
    const responses = await repeat(16, () => use((turn += 1) % 2 === 0 ? 1000 : '1000'));
    expect(responses.map(limited).indexOf(true)).toBe(15);
    expect(responses[0]!.headers['ratelimit-limit']).toBe('15');
    expect(limited(await use('1001'))).toBe(false);
    expect(limited(await use('1000', setup.fake.addToken().token))).toBe(false);
  });

  it('calls: a wrong body counts too, and has the headers', async () => {
    const { token } = setup.fake.addToken();
    const responses = [
      await setup.gateway.ask('/api/v1/tools/1/use', { token, body: '{' }),
      await setup.gateway.ask('/api/v1/tools/1/use', { token, json: { extension: {} } }),
      await setup.gateway.ask('/api/v1/tools/1/use', { token, body: 'x'.repeat(2_000_000) }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([400, 422, 413]);
    expect(responses.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['14', '13', '12']);
  });

  it('a route counted by user counts requests without a live token by address', async () => {
    const ip = freshIp();
    const responses = await repeat(16, () => setup.gateway.ask('/api/v1/tools', { ip, token: 'nonsense' }));
    expect(responses.map(({ status }) => status)).toEqual([...Array<number>(15).fill(401), 429]);
    expect(responses[0]!.headers['ratelimit-limit']).toBe('15');
    const { token } = setup.fake.addToken();
    expect((await setup.gateway.ask('/api/v1/tools', { ip, token })).status).toBe(200);
  });

  describe('raised by an operator', () => {
    it('for an address: every route that counts by address has the raised limit and shows it', async () => {
      const ip = freshIp();
      const gateway = await setup.addGateway({
        limitOverrides: { addresses: [{ cidr: `${ip}/32`, limits: { OTHER: 70, LOGIN: 12 } }], accounts: [] },
      });
      const responses = await repeat(71, () => gateway.ask('/api/v1/nothing', { ip }));
      expect(responses.map(limited).indexOf(true)).toBe(70);
      expect(responses[0]!.headers).toMatchObject({ 'ratelimit-limit': '70', 'ratelimit-remaining': '69' });
      const preflight = await gateway.ask('/api/v1/tools', { method: 'OPTIONS', ip });
      expect(preflight.headers).toMatchObject({ 'ratelimit-limit': '70', 'ratelimit-remaining': '0' });
      const login = await gateway.ask('/api/v1/users/login', { ip, json: {} });
      expect(login.headers['ratelimit-limit']).toBe('12');
      const elsewhere = await gateway.ask('/api/v1/nothing', { ip: freshIp() });
      expect(elsewhere.headers['ratelimit-limit']).toBe('60');
    });

    it('for an account: the class OTHER counts by account, from all addresses together; other accounts are counted as before', async () => {
      const account = { accountId: Math.floor(Math.random() * 1e9), domain: `a${Date.now()}.test` };
      const [first, second] = [setup.fake.addToken(account), setup.fake.addToken(account)];
      const stranger = setup.fake.addToken();
      const gateway = await setup.addGateway({
        limitOverrides: {
          addresses: [],
          accounts: [{ account: account.domain, limits: { OTHER: 100, LIST_CALLS: 20 } }],
        },
      });
      const office = freshIp();
      const responses = await repeat(80, () => gateway.ask('/api/v1/tools/9', { token: first.token, ip: office }));
      expect(responses.some(limited)).toBe(false);
      expect(responses.at(-1)!.headers).toMatchObject({ 'ratelimit-limit': '100', 'ratelimit-remaining': '20' });
      // The address was not counted.
      const beside = await gateway.ask('/api/v1/tools/9', { token: stranger.token, ip: office });
      expect(beside.headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59' });
      const rest = await repeat(21, () => gateway.ask('/api/v1/tools/9', { token: second.token }));
      expect(rest.map(limited).indexOf(true)).toBe(20);
      // Counted by user, as in the table, with the raised limit.
      const lists = await repeat(21, () => gateway.ask('/api/v1/tools', { token: first.token }));
      expect(lists.map(limited).indexOf(true)).toBe(20);
      expect((await gateway.ask('/api/v1/tools', { token: second.token })).headers['ratelimit-remaining']).toBe('19');
      // Without a live token the address is counted, before identity is asked.
      const ip = freshIp();
      const guesses = await repeat(61, () => gateway.ask('/api/v1/tools/9', { token: 'nonsense', ip }));
      expect(guesses.map(({ status }) => status)).toEqual([...Array<number>(60).fill(401), 429]);
    });
  });

  it('can be configured', async () => {
    const generous: TestGateway = await setup.addGateway({
      limits: { PLACE_CALL: 1, DIALER: 1, HANGUP: 1, LIST_CALLS: 1, LOGIN: 1, OTHER: 7, CONSOLE: 1, OPERATOR: 600 },
    });
    expect((await generous.ask('/api/v1/nothing')).headers['ratelimit-limit']).toBe('7');
  });
});

import { randomBytes } from 'node:crypto';
import { freshIp, openHouse } from './fixtures/harness';
import type { Answer, Ask, House, TestGateway } from './fixtures/harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

async function repeat(times: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < times; index += 1) {
    answers.push(await send());
  }
  return answers;
}

const limited = ({ status }: Answer): boolean => status === 429;

describe('the limit of all other routes', () => {
  it('lets 60 pass and says how many are left', async () => {
    const ip = freshIp();
    const begun = Date.now();
    const answers = await repeat(62, () => house.gateway.ask('/api/v1/nothing', { ip }));
    const tookSeconds = Math.ceil((Date.now() - begun) / 1000);
    expect(answers.slice(0, 60).some(limited)).toBe(false);
    expect(answers.slice(0, 60).map(({ headers }) => headers['ratelimit-remaining'])).toEqual(
      Array.from({ length: 60 }, (_, index) => String(59 - index)),
    );
    for (const answer of answers.slice(60)) {
      expect(answer.status).toBe(429);
      const reset = Number(answer.headers['ratelimit-reset']);
      expect(reset).toBeGreaterThanOrEqual(60 - tookSeconds);
      expect(reset).toBeLessThanOrEqual(60);
      expect(answer.headers).toMatchObject({
        'ratelimit-limit': '60',
        'ratelimit-remaining': '0',
        'retry-after': String(reset),
      });
      expect(answer.json).toEqual({
        error: {
          statusCode: 429,
          errorCode: 'RATE_LIMITED',
          code: 'RATE_LIMITED',
          name: 'TooManyRequests',
          message: expect.any(String) as string,
          requestId: answer.headers['x-request-id'],
        },
      });
    }
    expect(limited(await house.gateway.ask('/api/v1/nothing', { ip: freshIp() }))).toBe(false);
    expect((await house.gateway.ask('/healthz', { ip })).status).toBe(200);
    expect((await house.gateway.ask('/docs', { ip })).status).toBe(200);
  });

  it('counts everything that comes from one address, whatever becomes of it', async () => {
    const ip = freshIp();
    const { token } = house.fake.addToken();
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
      left.push((await house.gateway.ask(path, { ...options, ip })).headers['ratelimit-remaining']);
    }
    expect(left).toEqual(['59', '58', '57', '56', '55', '54', '53', '52']);
    const preflight = await house.gateway.ask('/api/v1/tools', { method: 'OPTIONS', ip });
    expect(preflight.headers['ratelimit-remaining']).toBe('52');
  });

  it('keeps a flood of guessed tokens away from identity, and lets a known token pass', async () => {
    const ip = freshIp();
    const { token } = house.fake.addToken();
    expect((await house.gateway.ask('/api/v1/tools/9', { token, ip: freshIp() })).status).toBe(200);
    const before = house.fake.lookups;
    const answers = await repeat(90, () =>
      house.gateway.ask('/api/v1/tools', { token: randomBytes(48).toString('base64url'), ip }),
    );
    expect(answers.filter(limited).length).toBe(75);
    expect(house.fake.lookups - before).toBe(60);
    expect((await house.gateway.ask('/api/v1/tools', { token, ip })).status).toBe(200);
  });

  it('asks identity once about a bad token that is sent again and again', async () => {
    const ip = freshIp();
    const before = house.fake.lookups;
    await repeat(20, () => house.gateway.ask('/api/v1/tools/9', { token: 'stale', ip }));
    expect(house.fake.lookups - before).toBe(1);
    const { token } = house.fake.addToken();
    expect((await house.gateway.ask('/api/v1/tools/9', { token, ip })).status).toBe(200);
  });

  it('is shared by replicas', async () => {
    const second = await house.addGateway();
    const ip = freshIp();
    await repeat(59, () => house.gateway.ask('/api/v1/nothing', { ip }));
    expect((await second.ask('/api/v1/nothing', { ip })).headers['ratelimit-remaining']).toBe('0');
    expect(limited(await house.gateway.ask('/api/v1/nothing', { ip }))).toBe(true);
    expect(limited(await second.ask('/api/v1/nothing', { ip }))).toBe(true);
  });

  it('counts exactly when many come at once', async () => {
    const ip = freshIp();
    const answers = await Promise.all(Array.from({ length: 100 }, () => house.gateway.ask('/api/v1/nothing', { ip })));
    expect(answers.filter(limited)).toHaveLength(40);
  });

  it('counts an IPv6 network as one client', async () => {
    await repeat(60, () =>
      house.gateway.ask('/api/v1/nothing', { ip: `2001:db8:${process.pid.toString(16)}::${freshIp().split('.')[1]}` }),
    );
    expect(
      limited(await house.gateway.ask('/api/v1/nothing', { ip: `2001:db8:${process.pid.toString(16)}::ffff` })),
    ).toBe(true);
  });
});

describe('the other limits', () => {
  it('login: 10 by address', async () => {
    const ip = freshIp();
    const answers = await repeat(11, () => house.gateway.ask('/api/v1/users/login', { ip, json: {} }));
    expect(answers.map(limited).indexOf(true)).toBe(10);
    expect(answers[0]!.headers['ratelimit-limit']).toBe('10');
    expect((await house.gateway.ask('/api/v1/nothing', { ip })).headers['ratelimit-remaining']).toBe('59');
  });

  it('list: 15 by user, wherever the user is', async () => {
    const { token } = house.fake.addToken();
    const other = house.fake.addToken();
    const answers = await repeat(16, () => house.gateway.ask('/api/v1/tools', { token }));
    expect(answers.map(limited).indexOf(true)).toBe(15);
    expect(limited(await house.gateway.ask('/api/v1/tools', { token: other.token }))).toBe(false);
  });

  it('list: two tokens of one user share it', async () => {
    const first = house.fake.addToken();
    const second = house.fake.addToken({ userId: first.caller.userId });
    await repeat(15, () => house.gateway.ask('/api/v1/tools', { token: first.token }));
    expect(limited(await house.gateway.ask('/api/v1/tools', { token: second.token }))).toBe(true);
  });

  it('calls: 15 by extension and user, as number or text', async () => {
    const { token } = house.fake.addToken();
    const use = (extension: unknown, as = token): Promise<Answer> =>
      house.gateway.ask('/api/v1/tools/1/use', { token: as, json: { extension } });
    let turn = 0;
    const answers = await repeat(16, () => use((turn += 1) % 2 === 0 ? 1000 : '1000'));
    expect(answers.map(limited).indexOf(true)).toBe(15);
    expect(answers[0]!.headers['ratelimit-limit']).toBe('15');
    expect(limited(await use('1001'))).toBe(false);
    expect(limited(await use('1000', house.fake.addToken().token))).toBe(false);
  });

  it('calls: a wrong body counts too, and has the headers', async () => {
    const { token } = house.fake.addToken();
    const answers = [
      await house.gateway.ask('/api/v1/tools/1/use', { token, body: '{' }),
      await house.gateway.ask('/api/v1/tools/1/use', { token, json: { extension: {} } }),
      await house.gateway.ask('/api/v1/tools/1/use', { token, body: 'x'.repeat(2_000_000) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 422, 413]);
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['14', '13', '12']);
  });

  it('a user-counted route without a user counts by address', async () => {
    const ip = freshIp();
    const answers = await repeat(16, () => house.gateway.ask('/api/v1/tools', { ip, token: 'nonsense' }));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(15).fill(401), 429]);
    expect(answers[0]!.headers['ratelimit-limit']).toBe('15');
    const { token } = house.fake.addToken();
    expect((await house.gateway.ask('/api/v1/tools', { ip, token })).status).toBe(200);
  });

  describe('raised by an operator', () => {
    it('for an address: every route that counts it has the other number, and says so', async () => {
      const ip = freshIp();
      const gateway = await house.addGateway({
        limitOverrides: { addresses: [{ cidr: `${ip}/32`, limits: { OTHER: 70, LOGIN: 12 } }], accounts: [] },
      });
      const answers = await repeat(71, () => gateway.ask('/api/v1/nothing', { ip }));
      expect(answers.map(limited).indexOf(true)).toBe(70);
      expect(answers[0]!.headers).toMatchObject({ 'ratelimit-limit': '70', 'ratelimit-remaining': '69' });
      const preflight = await gateway.ask('/api/v1/tools', { method: 'OPTIONS', ip });
      expect(preflight.headers).toMatchObject({ 'ratelimit-limit': '70', 'ratelimit-remaining': '0' });
      const login = await gateway.ask('/api/v1/users/login', { ip, json: {} });
      expect(login.headers['ratelimit-limit']).toBe('12');
      const elsewhere = await gateway.ask('/api/v1/nothing', { ip: freshIp() });
      expect(elsewhere.headers['ratelimit-limit']).toBe('60');
    });

    it('for an account: all other routes count by account, wherever its users are; others as ever', async () => {
      const account = { accountId: Math.floor(Math.random() * 1e9), domain: `a${Date.now()}.test` };
      const [first, second] = [house.fake.addToken(account), house.fake.addToken(account)];
      const stranger = house.fake.addToken();
      const gateway = await house.addGateway({
        limitOverrides: {
          addresses: [],
          accounts: [{ account: account.domain, limits: { OTHER: 100, LIST_CALLS: 20 } }],
        },
      });
      const office = freshIp();
      const answers = await repeat(80, () => gateway.ask('/api/v1/tools/9', { token: first.token, ip: office }));
      expect(answers.some(limited)).toBe(false);
      expect(answers.at(-1)!.headers).toMatchObject({ 'ratelimit-limit': '100', 'ratelimit-remaining': '20' });
      // The address has not been counted.
      const beside = await gateway.ask('/api/v1/tools/9', { token: stranger.token, ip: office });
      expect(beside.headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59' });
      const rest = await repeat(21, () => gateway.ask('/api/v1/tools/9', { token: second.token }));
      expect(rest.map(limited).indexOf(true)).toBe(20);
      // By user, as the table says, with the other number.
      const lists = await repeat(21, () => gateway.ask('/api/v1/tools', { token: first.token }));
      expect(lists.map(limited).indexOf(true)).toBe(20);
      expect((await gateway.ask('/api/v1/tools', { token: second.token })).headers['ratelimit-remaining']).toBe('19');
      // Without a good token it is the address that counts, in front of identity.
      const ip = freshIp();
      const guesses = await repeat(61, () => gateway.ask('/api/v1/tools/9', { token: 'nonsense', ip }));
      expect(guesses.map(({ status }) => status)).toEqual([...Array<number>(60).fill(401), 429]);
    });
  });

  it('can be set', async () => {
    const generous: TestGateway = await house.addGateway({
      limits: { PLACE_CALL: 1, DIALER: 1, HANGUP: 1, LIST_CALLS: 1, LOGIN: 1, OTHER: 7 },
    });
    expect((await generous.ask('/api/v1/nothing')).headers['ratelimit-limit']).toBe('7');
  });
});

import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { openHouse } from './fixtures/harness';
import type { House } from './fixtures/harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('an rpc with an http annotation', () => {
  it('is a route, although the gateway has never heard of its service', async () => {
    const { ask } = house.gateway;
    const answer = await ask('/api/v1/tools', {
      json: {
        title: 'saw',
        colour: 'RED',
        sharp: '1',
        price: 12.34,
        madeAt: '2025-01-02T03:04:05.678Z',
        boughtOn: '2025-01-02',
        metadata: { b: 1, a: 2 },
        parts: [{ name: 'p', size: '3' }],
        counts: { x: 1 },
        picture: 'AQI=',
        labels: ['l'],
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: 1,
      name: 'saw',
      nickName: null,
      colour: 'RED',
      sharp: 1,
      price: 12.34,
      RENT: null,
      madeAt: '2025-01-02T03:04:05.678Z',
      boughtOn: '2025-01-02',
      metadata: { b: 1, a: 2 },
      parts: [{ name: 'p', size: 3, parts: [] }],
      counts: { x: 1 },
      picture: 'AQI=',
      weight: 0,
      labels: ['l'],
    });
    expect((await ask('/api/v1/tools/made', { method: 'PUT', json: { name: 'x' } })).status).toBe(201);
  });

  it('gives back the text of an object to the letter', async () => {
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask('/api/v1/tools/9', { token });
    expect(answer.text).toContain('"metadata":{"b":1.0,"a":12345678901234567890}');
    expect(answer.json).toMatchObject({ id: 9, price: 12.34 });
  });

  it('takes path parameters, also over what the body says', async () => {
    const { token } = house.fake.addToken();
    await house.gateway.ask('/api/v1/tools/42/use', { token, json: { id: 7 } });
    expect(house.fake.received.at(-1)!.request).toMatchObject({ id: 42 });
    await house.gateway.ask('/api/v1/tools/use', { token, json: { id: '7' } });
    expect(house.fake.received.at(-1)!.request).toMatchObject({ id: 7 });
  });

  it('takes query parameters', async () => {
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask('/api/v1/tools?page=3&filter[where][name]=saw&labels=a', { token });
    expect(answer.json).toMatchObject({
      filter: '{"where":{"name":"saw"}}',
      meta: { currentPage: 3 },
    });
    expect((answer.json as { meta: object }).meta).not.toHaveProperty('nextPage');
  });

  it('answers 204 without a body', async () => {
    const { token } = house.fake.addToken({ role: Role.ADMIN });
    const answer = await house.gateway.ask('/api/v1/tools/a%20b', { method: 'DELETE', token });
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([204, '', undefined]);
    expect(house.fake.received.at(-1)!.request).toEqual({ name: 'a b' });
  });

  it('says that it is deprecated, and what to use instead', async () => {
    const { headers } = await house.gateway.ask('/api/v1/tools/7/use', { json: {} });
    expect(headers).toMatchObject({ deprecation: 'true', link: '</api/v1/tools>; rel="successor-version"' });
  });

  it('answers 501 while its service has not furnished it', async () => {
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask('/api/v1/users/me', { token });
    expect([answer.status, answer.error.code]).toEqual([501, 'NOT_IMPLEMENTED']);
  });
});

describe('methods and paths', () => {
  it('answers HEAD like GET, without the body', async () => {
    const { token } = house.fake.addToken();
    const get = await house.gateway.ask('/api/v1/tools/9', { token });
    const head = await house.gateway.ask('/api/v1/tools/9', { token, method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']]);
  });

  it.each([
    ['GET', '/api/v1/nothing', 404, 'NOT_FOUND'],
    ['GET', '/api/v2/tools', 404, 'NOT_FOUND'],
    ['GET', '/nothing', 404, 'NOT_FOUND'],
    ['POST', '/', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/healthz', 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/nothing', 404, 'NOT_FOUND'],
    ['PUT', '/api/v1/tools', 405, 'METHOD_NOT_ALLOWED'],
    ['PROPFIND', '/api/v1/tools', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/api/v1/tools/%ff', 400, 'INVALID_PATH'],
  ])('%s %s is %d %s', async (method, path, status, code) => {
    const answer = await house.gateway.ask(path, { method });
    expect([answer.status, answer.error.code, answer.error.errorCode]).toEqual([status, code, code]);
    expect(answer.headers['ratelimit-limit']).toBe('60');
    const allowed = path.startsWith('/api/') ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS';
    expect(answer.headers['allow']).toBe(status === 405 ? allowed : undefined);
  });

  it('treats an id that cannot be one as unknown', async () => {
    const { token } = house.fake.addToken();
    for (const id of ['abc', '1.5', '99999999999999999999', '%00']) {
      const answer = await house.gateway.ask(`/api/v1/tools/${id}`, { token });
      expect([answer.status, answer.error.code]).toEqual([404, 'MODEL_NOT_FOUND']);
    }
  });

  it('opens itself to every origin', async () => {
    const answer = await house.gateway.ask('/api/v1/tools', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://x.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-odd',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, x-odd',
      'access-control-allow-methods': expect.stringContaining('PATCH') as string,
      'ratelimit-remaining': '60',
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    const get = await house.gateway.ask('/api/v1/nothing');
    expect(get.headers['access-control-expose-headers']).toContain('RateLimit-Remaining');
  });
});

describe('who may call', () => {
  it('wants a live token', async () => {
    const { token } = house.fake.addToken();
    const { ask } = house.gateway;
    expect((await ask('/api/v1/tools/9', { token })).status).toBe(200);
    expect((await ask('/api/v1/tools/9', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    expect((await ask('/api/v1/tools/9', { headers: { 'x-access-token': token } })).status).toBe(200);
    expect((await ask(`/api/v1/tools/9?access_token=${token}`)).status).toBe(200);
    const none = await ask('/api/v1/tools/9');
    expect([none.status, none.error]).toEqual([
      401,
      {
        statusCode: 401,
        name: 'Error',
        message: 'Authorization Required',
        code: 'AUTHORIZATION_REQUIRED',
        errorCode: 'AUTHORIZATION_REQUIRED',
        requestId: none.headers['x-request-id'],
      },
    ]);
    expect((await ask('/api/v1/tools/9', { token: 'nonsense' })).error.code).toBe('AUTHORIZATION_REQUIRED');
    house.fake.expireToken('old');
    expect((await ask('/api/v1/tools/9', { token: 'old' })).error).toMatchObject({
      code: 'INVALID_TOKEN',
      message: 'Invalid Access Token',
    });
  });

  it('wants an admin where the route says so', async () => {
    const user = await house.gateway.ask('/api/v1/tools/x', { method: 'DELETE', token: house.fake.addToken().token });
    expect([user.status, user.error.code]).toEqual([403, 'ACCESS_DENIED']);
  });

  it('ignores a token on a public route', async () => {
    expect((await house.gateway.ask('/api/v1/users/login', { token: 'nonsense', json: { email: 'a' } })).status).toBe(
      200,
    );
  });

  it('tells by HEAD whether a token is live', async () => {
    const { token } = house.fake.addToken();
    house.fake.expireToken('gone');
    const head = async (given?: string) => {
      const answer = await house.gateway.ask('/api/v1/users/accessTokens', { method: 'HEAD', token: given });
      expect([answer.text, answer.headers['ratelimit-limit']]).toEqual(['', '60']);
      return answer.status;
    };
    expect([await head(token), await head('nonsense'), await head('gone'), await head()]).toEqual([200, 404, 404, 404]);
  });

  it('takes the query form only if it is allowed to', async () => {
    const strict = await house.addGateway({ allowQueryToken: false });
    const { token } = house.fake.addToken();
    expect((await strict.ask(`/api/v1/tools/9?access_token=${token}`)).status).toBe(401);
  });
});

describe('what a service says', () => {
  it.each([
    ['bad-request', 400, 'INVALID_FILTER'],
    ['login', 401, 'LOGIN_FAILED'],
    ['credit', 402, 'INSUFFICIENT_CREDIT'],
    ['denied', 403, 'ACCESS_DENIED'],
    ['missing', 404, 'MODEL_NOT_FOUND'],
    ['conflict', 409, 'LAST_ADMIN'],
    ['invalid', 422, 'VALIDATION_ERROR'],
    ['unprocessable', 422, 'USER_NOT_REGISTERED'],
    ['crash', 500, 'INTERNAL_ERROR'],
    ['unavailable', 503, 'SERVICE_UNAVAILABLE'],
  ])('%s is %d %s', async (mischief, status, code) => {
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask(`/api/v1/tools/7?mischief=${mischief}`, { token });
    expect([answer.status, answer.error.code]).toEqual([status, code]);
    expect(answer.text).not.toContain('SELECT');
    expect(answer.headers['retry-after']).toBe(status === 503 ? '7' : undefined);
    if (status === 422 && code === 'VALIDATION_ERROR') {
      expect(answer.error.details).toEqual({
        context: 'tool',
        codes: { name: ['presence'], email: ['uniqueness'] },
        messages: { name: ["can't be blank"], email: ['already exists'] },
      });
    }
  });

  it('about its own limits counts before the headers of the gateway’s', async () => {
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask('/api/v1/tools/7?mischief=many-failures', { token });
    expect([answer.status, answer.error.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect(answer.headers).toMatchObject({
      'retry-after': '700',
      'ratelimit-limit': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '700',
    });
  });

  it('becomes a log line when nobody foresaw it', async () => {
    const { token } = house.fake.addToken();
    const answer = await house.gateway.ask('/api/v1/tools/7?mischief=crash', {
      token,
      headers: { 'x-request-id': 'bug-1' },
    });
    expect(answer.error.requestId).toBe('bug-1');
    expect(house.gateway.logLines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'unexpected error',
        requestId: 'bug-1',
        route: '/api/v1/tools/{id}',
      }),
    );
  });
});

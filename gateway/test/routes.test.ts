import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

describe('an rpc with an http annotation', () => {
  it('is a route, although the gateway has no code for its service', async () => {
    const { ask } = setup.gateway;
    const response = await ask('/api/v1/tools', {
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
    expect(response.status).toBe(201);
    expect(response.json).toEqual({
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

  it('returns the text of an object unchanged', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask('/api/v1/tools/9', { token });
    expect(response.text).toContain('"metadata":{"b":1.0,"a":12345678901234567890}');
    expect(response.json).toMatchObject({ id: 9, price: 12.34 });
  });

  it('takes path parameters, which win over the body', async () => {
    const { token } = setup.fake.addToken();
    await setup.gateway.ask('/api/v1/tools/42/use', { token, json: { id: 7 } });
    expect(setup.fake.received.at(-1)!.request).toMatchObject({ id: 42 });
    await setup.gateway.ask('/api/v1/tools/use', { token, json: { id: '7' } });
    expect(setup.fake.received.at(-1)!.request).toMatchObject({ id: 7 });
  });

  it('takes query parameters', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask('/api/v1/tools?page=3&filter[where][name]=saw&labels=a', { token });
    expect(response.json).toMatchObject({
      filter: '{"where":{"name":"saw"}}',
      meta: { currentPage: 3 },
    });
    expect((response.json as { meta: object }).meta).not.toHaveProperty('nextPage');
  });

  it('responds with 204 without a body', async () => {
    const { token } = setup.fake.addToken({ role: Role.ADMIN });
    const response = await setup.gateway.ask('/api/v1/tools/a%20b', { method: 'DELETE', token });
    expect([response.status, response.text, response.headers['content-length']]).toEqual([204, '', undefined]);
    expect(setup.fake.received.at(-1)!.request).toEqual({ name: 'a b' });
  });

  it('announces its deprecation and its successor', async () => {
    const { headers } = await setup.gateway.ask('/api/v1/tools/7/use', { json: {} });
    expect(headers).toMatchObject({ deprecation: 'true', link: '</api/v1/tools>; rel="successor-version"' });
  });

  it('responds with 501 while its service has not implemented it', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask('/api/v1/users/me', { token });
    expect([response.status, response.error.code]).toEqual([501, 'NOT_IMPLEMENTED']);
  });
});

describe('methods and paths', () => {
  it('respond to HEAD like to GET, without the body', async () => {
    const { token } = setup.fake.addToken();
    const get = await setup.gateway.ask('/api/v1/tools/9', { token });
    const head = await setup.gateway.ask('/api/v1/tools/9', { token, method: 'HEAD' });
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
    const response = await setup.gateway.ask(path, { method });
    expect([response.status, response.error.code, response.error.errorCode]).toEqual([status, code, code]);
    expect(response.headers['ratelimit-limit']).toBe('60');
    const allowed = path.startsWith('/api/') ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS';
    expect(response.headers['allow']).toBe(status === 405 ? allowed : undefined);
  });

  it('treat a malformed id as unknown', async () => {
    const { token } = setup.fake.addToken();
    for (const id of ['abc', '1.5', '99999999999999999999', '%00']) {
      const response = await setup.gateway.ask(`/api/v1/tools/${id}`, { token });
      expect([response.status, response.error.code]).toEqual([404, 'MODEL_NOT_FOUND']);
    }
  });

  it('are open to every origin', async () => {
    const response = await setup.gateway.ask('/api/v1/tools', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://x.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-odd',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, x-odd',
      'access-control-allow-methods': expect.stringContaining('PATCH') as string,
      'ratelimit-remaining': '60',
    });
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    const get = await setup.gateway.ask('/api/v1/nothing');
    expect(get.headers['access-control-expose-headers']).toContain('RateLimit-Remaining');
  });
});

describe('access', () => {
  it('needs a live token', async () => {
    const { token } = setup.fake.addToken();
    const { ask } = setup.gateway;
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
    setup.fake.expireToken('old');
    expect((await ask('/api/v1/tools/9', { token: 'old' })).error).toMatchObject({
      code: 'INVALID_TOKEN',
      message: 'Invalid Access Token',
    });
  });

  it('needs an admin where the route says so', async () => {
    const user = await setup.gateway.ask('/api/v1/tools/x', { method: 'DELETE', token: setup.fake.addToken().token });
    expect([user.status, user.error.code]).toEqual([403, 'ACCESS_DENIED']);
  });

  it('ignores a token on a public route', async () => {
    expect((await setup.gateway.ask('/api/v1/users/login', { token: 'nonsense', json: { email: 'a' } })).status).toBe(
      200,
    );
  });

  it('tells by HEAD whether a token is live', async () => {
    const { token } = setup.fake.addToken();
    setup.fake.expireToken('gone');
    const head = async (given?: string) => {
      const response = await setup.gateway.ask('/api/v1/users/accessTokens', { method: 'HEAD', token: given });
      expect([response.text, response.headers['ratelimit-limit']]).toEqual(['', '60']);
      return response.status;
    };
    expect([await head(token), await head('nonsense'), await head('gone'), await head()]).toEqual([200, 404, 404, 404]);
  });

  it('takes a token from the query only if that is allowed', async () => {
    const strict = await setup.addGateway({ allowQueryToken: false });
    const { token } = setup.fake.addToken();
    expect((await strict.ask(`/api/v1/tools/9?access_token=${token}`)).status).toBe(401);
  });
});

describe('an error of a service', () => {
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
  ])('%s is %d %s', async (fault, status, code) => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask(`/api/v1/tools/7?fault=${fault}`, { token });
    expect([response.status, response.error.code]).toEqual([status, code]);
    expect(response.text).not.toContain('SELECT');
    expect(response.headers['retry-after']).toBe(status === 503 ? '7' : undefined);
    if (status === 422 && code === 'VALIDATION_ERROR') {
      expect(response.error.details).toEqual({
        context: 'tool',
        codes: { name: ['presence'], email: ['uniqueness'] },
        messages: { name: ["can't be blank"], email: ['already exists'] },
      });
    }
  });

  it('about its own limit overrides the RateLimit headers', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask('/api/v1/tools/7?fault=many-failures', { token });
    expect([response.status, response.error.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect(response.headers).toMatchObject({
      'retry-after': '700',
      'ratelimit-limit': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '700',
    });
  });

  it('is logged if it is unexpected', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask('/api/v1/tools/7?fault=crash', {
      token,
      headers: { 'x-request-id': 'bug-1' },
    });
    expect(response.error.requestId).toBe('bug-1');
    expect(setup.gateway.logLines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'unexpected error',
        requestId: 'bug-1',
        route: '/api/v1/tools/{id}',
      }),
    );
  });
});

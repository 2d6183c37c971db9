import { connect } from 'node:net';
import { signUpUser } from '../src/sign-up';
import type { SignedUpUser } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';
import type { ApiAnswer } from '../src/stack-client';
import { testStack } from '../src/test-stack';

interface ErrorBody {
  error: {
    statusCode: number;
    name: string;
    message: string;
    code: string;
    errorCode: string;
    requestId: string;
    details?: { context: string; codes: Record<string, string[]>; messages: Record<string, string[]> };
  };
}

/** Fields of every error answer. */
function expectError(answer: ApiAnswer, status: number, code: string, name?: string): ErrorBody['error'] {
  const { error } = answer.body as ErrorBody;
  expect({ status: answer.status, code: error.code }).toEqual({ status, code });
  expect(error.statusCode).toBe(status);
  expect(error.errorCode).toBe(code);
  expect(error.message).toEqual(expect.any(String));
  expect(error.requestId).toBe(answer.headers['x-request-id']);
  if (name !== undefined) expect(error.name).toBe(name);
  for (const header of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    expect(answer.headers[header]).toMatch(/^\d+$/);
  }
  return error;
}

describe('mistakes of clients', () => {
  let user: SignedUpUser;
  const fresh = () => createStackClient(testStack());

  beforeAll(async () => {
    user = await signUpUser(testStack());
  });

  it.each([['{"email":'], ['{email:"a"}'], ['{"a":1}}'], ['nul'], ['{"a":\u0001}']])(
    'malformed JSON %j is INVALID_JSON',
    async (rawBody) => {
      expectError(await fresh().post('/users/login', undefined, { rawBody }), 400, 'INVALID_JSON', 'BadRequestError');
    },
  );

  it.each([['"text"'], ['12'], ['true'], ['[{"email":"a"}]']])(
    'a body that is no object, %s, is a validation error',
    async (rawBody) => {
      expectError(
        await fresh().post('/users/login', undefined, { rawBody }),
        422,
        'VALIDATION_ERROR',
        'ValidationError',
      );
    },
  );

  it('wrong types are named field by field', async () => {
    const error = expectError(
      await fresh().post('/accounts/signup', {
        email: { a: 1 },
        domain: ['x'],
        password: true,
        organization_name: null,
      }),
      422,
      'VALIDATION_ERROR',
      'ValidationError',
    );
    expect(Object.keys(error.details?.codes ?? {})).toEqual(expect.arrayContaining(['email', 'domain', 'password']));
    expect(Object.keys(error.details?.messages ?? {})).toEqual(expect.arrayContaining(['email', 'domain', 'password']));
  });

  it('an empty signup names every missing field', async () => {
    const error = expectError(await fresh().post('/accounts/signup', {}), 422, 'VALIDATION_ERROR', 'ValidationError');
    expect(Object.keys(error.details?.codes ?? {}).sort()).toEqual(
      ['crm', 'domain', 'email', 'organization_name', 'password', 'phone', 'user_quantity'].sort(),
    );
  });

  it('a body over 1 MiB is refused, with or without Content-Length', async () => {
    const large = JSON.stringify({ email: 'a'.repeat(2 * 1024 * 1024) });
    expectError(await fresh().post('/users/login', undefined, { rawBody: large }), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('nesting without end does not end the process', async () => {
    for (const rawBody of [
      '['.repeat(200_000),
      '{"a":'.repeat(100_000),
      `{"email":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    ]) {
      const answer = await fresh().post('/users/login', undefined, { rawBody });
      expect([400, 422]).toContain(answer.status);
    }
    expect((await user.client.fromAnotherAddress().get('/users/me')).status).toBe(200);
  });

  it('characters that no database can hold are refused', async () => {
    const error = expectError(
      await fresh().post('/users/login', { email: 'a\u0000@example.com', password: 'x' }),
      422,
      'VALIDATION_ERROR',
    );
    expect(Object.keys(error.details?.codes ?? {})).toEqual(['email']);
  });

  it('a number is no e-mail, no name and no password', async () => {
    const answer = await user.client.fromAnotherAddress().post('/users', { email: 0, name: 1, password: 12345678 });
    const error = expectError(answer, 422, 'VALIDATION_ERROR');
    expect(error.details?.messages).toMatchObject({
      email: ['must be a string'],
      name: ['must be a string'],
      password: ['must be a string'],
    });
  });

  it('a polluting key pollutes nothing', async () => {
    const rawBody =
      '{"__proto__":{"role":"ADMIN"},"constructor":{"prototype":{"x":1}},"email":"a@example.com","password":"wrong-one"}';
    expectError(await fresh().post('/users/login', undefined, { rawBody }), 401, 'LOGIN_FAILED');
  });

  it('another method of a path of words is not taken for one with an id', async () => {
    for (const [method, path, allowed] of [
      ['PUT', '/extensions/next-available', 'OPTIONS, POST'],
      ['DELETE', '/users/me', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await user.client.request(method, path, { body: {} });
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe(allowed);
    }
  });

  it('another method of a known path is 405 with an Allow header', async () => {
    const answer = await fresh().request('PUT', '/users/login', { body: {} });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toContain('POST');
  });

  it('an unknown route is NOT_FOUND', async () => {
    expectError(await fresh().get('/nothing/here'), 404, 'NOT_FOUND');
    expectError(await fresh().get('/users/login/more'), 404, 'NOT_FOUND');
  });

  it('a path that cannot be decoded is a bad request', async () => {
    expectError(await user.client.fromAnotherAddress().get('/users/%E0%A4%A'), 400, 'INVALID_PATH');
  });

  it('no token, a bad one and one of strange characters are 401 with the specified body', async () => {
    for (const authorization of [undefined, 'x', 'a'.repeat(64), 'Bearer ', 'Basic dXNlcjpwYXNz', 'a'.repeat(5000)]) {
      const answer = await fresh().get('/users/me', authorization === undefined ? {} : { headers: { authorization } });
      const error = expectError(answer, 401, 'AUTHORIZATION_REQUIRED', 'Error');
      expect(error.message).toBe('Authorization Required');
    }
  });

  it('wrong password and unknown e-mail look the same', async () => {
    const wrong = expectError(
      await fresh().post('/users/login', { email: user.email, password: 'not-this-one' }),
      401,
      'LOGIN_FAILED',
    );
    const unknown = expectError(
      await fresh().post('/users/login', { email: 'nobody@example.com', password: 'not-this-one' }),
      401,
      'LOGIN_FAILED',
    );
    expect({ ...wrong, requestId: '' }).toEqual({ ...unknown, requestId: '' });
    expectError(await fresh().post('/users/login', { email: user.email }), 400, 'USERNAME_EMAIL_REQUIRED');
  });

  it.each([0, -2, 'soon', '', true, {}])('ttl %j is refused', async (ttl) => {
    const answer = await user.client.fromAnotherAddress().post('/users/accessTokens', { ttl });
    expectError(answer, 422, 'VALIDATION_ERROR', 'ValidationError');
  });

  it('bytes that are no HTTP get an answer or a closed connection, and the gateway lives on', async () => {
    const { hostname, port } = new URL(testStack().gatewayUrl);
    for (const bytes of [
      '\x16\x03\x01\x02',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /api/v1/users/login HTTP/1.1\r\nContent-Length: -5\r\n\r\n',
      '\r\n\r\n',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.end(bytes));
        socket.on('error', () => undefined);
        socket.on('data', () => undefined);
        socket.on('close', () => resolve());
      });
    }
    expect((await user.client.fromAnotherAddress().get('/users/me')).status).toBe(200);
  });
});

describe('rate limits', () => {
  it('count logins per address and tell when the window ends', async () => {
    const client = createStackClient(testStack());
    const answers = [];
    for (let n = 0; n < 11; n += 1)
      answers.push(await client.post('/users/login', { email: `n${n}@example.com`, password: 'wrong-one' }));
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
    expect(answers[0]?.headers['ratelimit-limit']).toBe('10');
    const last = answers.at(-1)!;
    const error = expectError(last, 429, 'RATE_LIMITED', 'TooManyRequests');
    expect(error.errorCode).toBe('RATE_LIMITED');
    expect(last.headers['ratelimit-remaining']).toBe('0');
    expect(last.headers['retry-after']).toBe(last.headers['ratelimit-reset']);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(last.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(
      (await client.fromAnotherAddress().post('/users/login', { email: 'x@example.com', password: 'wrong-one' }))
        .status,
    ).toBe(401);
  });

  it('are shared by the gateways, and stand on every answer', async () => {
    const stack = testStack();
    const client = createStackClient(stack);
    const remaining = [];
    for (const gatewayUrl of [...stack.gatewayUrls, ...stack.gatewayUrls]) {
      const answer = await client.at(gatewayUrl).head('/users/accessTokens');
      expect(answer.status).toBe(404);
      expect(answer.headers['ratelimit-limit']).toBe('60');
      remaining.push(Number(answer.headers['ratelimit-remaining']));
    }
    expect(remaining).toEqual([59, 58, 57, 56]);
  });
});

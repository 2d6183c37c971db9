import { TokenKind } from '@sabia/protos/sabia/identity/v1/messages';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { freshIp, startSetup } from './fixtures/harness';
import type { Ask, Setup, TestResponse } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

const credentials = { email: 'ana@x.test', password: 'right' };
const fromConsole = { 'x-sabia-console': '1' };
const ended = 'sabia_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict';

const logIn = (headers: Record<string, string> = fromConsole, ip?: string) =>
  setup.gateway.ask('/api/v1/session', { json: credentials, headers, ip });

/** The cookie of a new session, as a browser sends it back. */
function newSession(role?: Role): string {
  return `sabia_session=${setup.fake.addToken({ kind: TokenKind.SESSION, role }).token}`;
}

const ask = (path: string, cookie: string, options: Ask = {}): Promise<TestResponse> =>
  setup.gateway.ask(path, { ...options, headers: { cookie, ...options.headers } });

const limitOf = ({ headers }: TestResponse) => [headers['ratelimit-limit'], headers['ratelimit-remaining']];

describe('a session', () => {
  it('is begun by a login, whose token is in the cookie and nowhere else', async () => {
    const response = await logIn();
    expect(response).toMatchObject({ status: 200, json: { user: { email: 'ana@x.test' } } });
    const cookie = response.headers['set-cookie']!;
    const [, token] =
      /^sabia_session=([\w-]+); Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/.exec(String(cookie)) ?? [];
    expect(token).toBeDefined();
    expect(response.text).not.toContain(token);
    const again = await ask('/api/v1/session', `theme=dark; sabia_session=${token}; x=y`);
    expect(again.json).toMatchObject({ user: { id: (response.json as { user: { id: number } }).user.id } });
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  it('is Secure, and bound to the host, where there is TLS', async () => {
    const gateway = await setup.addGateway({ publicUrl: 'https://sabia.test' });
    const { headers } = await gateway.ask('/api/v1/session', { json: credentials, headers: fromConsole });
    expect(String(headers['set-cookie'])).toMatch(
      /^__Host-sabia_session=[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  it('ends at once, with its cookie', async () => {
    const cookie = newSession();
    const response = await ask('/api/v1/session', cookie, { method: 'DELETE', headers: fromConsole });
    expect([response.status, String(response.headers['set-cookie'])]).toEqual([204, ended]);
  });

  it('that is unknown or expired is a 401, and the browser forgets it', async () => {
    for (const forget of ['expireToken', 'removeToken'] as const) {
      const cookie = newSession();
      setup.fake[forget](cookie.slice('sabia_session='.length));
      const response = await ask('/api/v1/session', cookie);
      expect([response.status, String(response.headers['set-cookie'])]).toEqual([401, ended]);
      expect(limitOf(response)).toEqual(['60', '59']);
      // The browser may have a new one by the time of this response, and keeps it.
      const late = await ask('/api/v1/tools/9', cookie);
      expect([late.status, late.headers['set-cookie']]).toEqual([401, undefined]);
    }
    const without = await setup.gateway.ask('/api/v1/session');
    expect(without).toMatchObject({ status: 401, error: { code: 'AUTHORIZATION_REQUIRED' } });
    expect(without.headers['set-cookie']).toBeUndefined();
  });

  it('has the role of its user', async () => {
    const drop = (role: Role) => ask('/api/v1/tools/saw', newSession(role), { method: 'DELETE', headers: fromConsole });
    expect([(await drop(Role.ADMIN)).status, (await drop(Role.USER)).status]).toEqual([204, 403]);
  });
});

describe('tokens and sessions', () => {
  it('are not taken for each other', async () => {
    const api = setup.fake.addToken();
    const session = setup.fake.addToken({ kind: TokenKind.SESSION });
    for (let time = 0; time < 2; time += 1) {
      expect((await ask('/api/v1/session', `sabia_session=${api.token}`)).status).toBe(401);
      expect((await setup.gateway.ask('/api/v1/session', { token: session.token })).status).toBe(401);
      expect((await setup.gateway.ask('/api/v1/session', { token: api.token })).status).toBe(200);
    }
  });

  it('a request with a token ignores the cookie', async () => {
    const cookie = newSession();
    const { token, caller } = setup.fake.addToken();
    const carriers: Ask[] = [{ token }, { headers: { 'x-access-token': token } }];
    for (const carrier of carriers) {
      const response = await ask('/api/v1/session', cookie, carrier);
      expect(response.json).toMatchObject({ user: { id: caller.userId } });
      expect(limitOf(response)).toEqual(['60', '59']);
    }
    const byQuery = await ask(`/api/v1/session?access_token=${token}`, cookie);
    expect(byQuery.json).toMatchObject({ user: { id: caller.userId } });
    expect((await ask('/api/v1/session', cookie, { token: 'nonsense' })).status).toBe(401);
    expect((await ask('/api/v1/session', cookie, { token: '' })).status).toBe(401);
  });
});

describe('a changing request of a session', () => {
  const use = (headers: Record<string, string>) =>
    ask('/api/v1/tools/9/use', newSession(), { json: { extension: '1000' }, headers });

  it('needs the header that no form can set', async () => {
    expect((await use(fromConsole)).status).toBe(200);
    const used = setup.fake.received.length;
    const refusals = [await use({}), await use({ 'x-sabia-console': '0' })];
    for (const { status, error } of refusals) {
      expect([status, error.code]).toEqual([403, 'CONSOLE_HEADER_REQUIRED']);
    }
    expect(setup.fake.received).toHaveLength(used);
  });

  it('comes from the pages of the gateway only', async () => {
    const { host } = new URL(setup.gateway.url);
    for (const origin of ['http://sabia.test', `http://${host}`]) {
      expect((await use({ ...fromConsole, origin, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    }
    const used = setup.fake.received.length;
    const foreignPages: Record<string, string>[] = [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: `https://${host}` },
      { origin: 'http://sabia.test.evil.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const foreign of foreignPages) {
      const { status, error } = await use({ ...fromConsole, ...foreign });
      expect([foreign, status, error.code]).toEqual([foreign, 403, 'FOREIGN_ORIGIN']);
    }
    expect(setup.fake.received).toHaveLength(used);
  });

  it('a login is guarded likewise, so that no site logs a person in elsewhere', async () => {
    expect((await logIn({})).error.code).toBe('CONSOLE_HEADER_REQUIRED');
    const foreign = await logIn({ ...fromConsole, origin: 'http://evil.test' });
    expect([foreign.error.code, foreign.headers['set-cookie']]).toEqual(['FOREIGN_ORIGIN', undefined]);
  });
});

it('a reading request of a session is refused to other sites, which CORS gives no credentials', async () => {
  const response = await ask('/api/v1/tools/9', newSession(), { headers: { origin: 'http://evil.test' } });
  expect(response.error.code).toBe('FOREIGN_ORIGIN');
  const preflight = await setup.gateway.ask('/api/v1/tools/9', {
    method: 'OPTIONS',
    headers: { origin: 'http://evil.test', 'access-control-request-headers': 'x-sabia-console' },
  });
  for (const { headers } of [response, preflight]) {
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBe('*');
  }
  expect((await ask('/api/v1/tools/9', newSession(), { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
});

describe('the limit of sessions', () => {
  it('is counted by user, 600 a minute, over all routes that need it and all addresses', async () => {
    const { token, caller } = setup.fake.addToken({ kind: TokenKind.SESSION });
    const other = setup.fake.addToken({ kind: TokenKind.SESSION, userId: caller.userId });
    const [cookie, second] = [token, other.token].map((each) => `sabia_session=${each}`) as [string, string];
    const use: Ask = { json: { extension: '1000' }, headers: fromConsole };
    const responses = [
      await ask('/api/v1/tools/9', cookie),
      await ask('/api/v1/tools', cookie),
      await ask('/api/v1/tools/9/use', second, use),
      await ask('/api/v1/session', second),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(responses.map(limitOf)).toEqual([599, 598, 597, 596].map((left) => ['600', String(left)]));
    // The limits of the user's tokens are as before.
    const api = setup.fake.addToken({ userId: caller.userId });
    expect(limitOf(await setup.gateway.ask('/api/v1/tools', { token: api.token }))).toEqual(['15', '14']);
    expect(limitOf(await setup.gateway.ask('/api/v1/tools/9', { token: api.token }))).toEqual(['60', '59']);
  });

  it('ends somewhere', async () => {
    const cookie = newSession();
    const gateway = await setup.addGateway({
      limits: { PLACE_CALL: 1, DIALER: 1, HANGUP: 1, LIST_CALLS: 1, LOGIN: 1, OTHER: 1, CONSOLE: 2, OPERATOR: 600 },
    });
    const statuses = [];
    for (let time = 0; time < 3; time += 1) {
      statuses.push((await gateway.ask('/api/v1/tools', { headers: { cookie } })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('leaves public routes to the address, which thus sends no more mails with a session than without', async () => {
    const ip = freshIp();
    const make = (cookie: string) => ask('/api/v1/tools', cookie, { json: { name: 'saw' }, ip });
    const responses = [await make(newSession()), await make(newSession())];
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(responses.map(limitOf)).toEqual([
      ['60', '59'],
      ['60', '58'],
    ]);
  });

  it('leaves logins to the address, also those of a person who is logged in', async () => {
    const ip = freshIp();
    expect(limitOf(await logIn(fromConsole, ip))).toEqual(['10', '9']);
    const wrong = await ask('/api/v1/session', newSession(), {
      json: { ...credentials, password: 'wrong' },
      headers: fromConsole,
      ip,
    });
    expect([wrong.status, wrong.error.code, ...limitOf(wrong)]).toEqual([401, 'LOGIN_FAILED', '10', '8']);
  });
});

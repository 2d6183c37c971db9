import { createAdmin, createUser, type Person } from '../src/people';
import { createStackClient, type ApiAnswer, type ApiRequest, type StackClient } from '../src/stack-client';
import { testStack } from '../src/test-stack';

interface SessionBody {
  user: { uuid: string; id: number; name: string; email: string; role: string };
  account: { domain: string; name: string; timeZone: string };
}

const fromConsole = { 'x-sabia-console': '1' };

/** A browser at one of the gateways, which keeps the cookie of its session. */
class Browser {
  cookie = '';
  private readonly client: StackClient;

  constructor(gatewayUrl = testStack().gatewayUrl) {
    this.client = createStackClient({ gatewayUrl });
  }

  async ask<T = unknown>(method: string, path: string, given: ApiRequest = {}): Promise<ApiAnswer<T>> {
    const headers = { ...(this.cookie === '' ? {} : { cookie: this.cookie }), ...given.headers };
    const answer = await this.client.request<T>(method, path, { ...given, headers });
    const set = answer.headers['set-cookie'];
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? '' : set.split(';')[0]!;
    return answer;
  }

  logIn({ email, password }: { email: string; password: string }): Promise<ApiAnswer<SessionBody>> {
    return this.ask('POST', '/session', { body: { email, password }, headers: fromConsole });
  }

  async isIn(): Promise<boolean> {
    return (await this.ask('GET', '/session')).status === 200;
  }
}

async function enter(person: { email: string; password: string }): Promise<Browser> {
  const browser = new Browser();
  const login = await browser.logIn(person);
  if (login.status !== 200) throw new Error(login.text);
  return browser;
}

describe('sessions of the console', () => {
  let admin: Person;
  beforeAll(async () => {
    admin = await createAdmin(testStack());
  });

  it('a person logs in, is known by the cookie at every gateway, works and logs out everywhere', async () => {
    const browser = new Browser();
    const wrong = await browser.logIn({ email: admin.email, password: 'not the password' });
    expect([wrong.status, wrong.body]).toMatchObject([401, { error: { code: 'LOGIN_FAILED' } }]);
    const login = await browser.logIn(admin);
    expect(login.headers['set-cookie']).toMatch(
      /^sabia_session=[\w-]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(login.text).not.toContain(browser.cookie.split('=')[1]);
    const second = new Browser(testStack().gatewayUrls[1]);
    second.cookie = browser.cookie;
    for (const each of [browser, second]) {
      const { body, headers } = await each.ask<SessionBody>('GET', '/session');
      expect(body.user).toMatchObject({ uuid: admin.uuid, id: admin.id, email: admin.email, role: 'ADMIN' });
      expect(body.account).toMatchObject({ timeZone: 'America/Sao_Paulo' });
      expect([body, headers['ratelimit-limit']]).toEqual([login.body, '600']);
    }
    const tokens = await browser.ask<{ prefix: string }[]>('GET', '/users/accessTokens');
    expect(tokens.body.map(({ prefix }) => prefix)).not.toContain(browser.cookie.split('=')[1]!.slice(0, 8));

    const created = await browser.ask('POST', '/extensions', {
      body: { ramal: '2001', senha: 'segredo-2001', first_name: 'Ana', last_name: 'Silva', email_address: admin.email },
      headers: fromConsole,
    });
    expect([created.status, created.headers['ratelimit-limit']]).toEqual([200, '600']);
    const calls = await browser.ask('GET', '/calls', { query: { page: '1' } });
    expect([calls.status, calls.headers['ratelimit-limit']]).toEqual([200, '600']);

    const { cookie } = browser;
    const logout = await browser.ask('DELETE', '/session', { headers: fromConsole });
    expect([logout.status, browser.cookie]).toEqual([204, '']);
    browser.cookie = cookie;
    expect([await browser.isIn(), await second.isIn()]).toEqual([false, false]);
    expect([browser.cookie, second.cookie]).toEqual(['', '']);
  });

  it('other sites can neither change nor read anything with the cookie', async () => {
    const browser = await enter(admin);
    const rename = (headers: Record<string, string>) =>
      browser.ask('PATCH', '/users', { body: { name: 'Renamed' }, headers });
    const refusals = [
      [await rename({}), 'CONSOLE_HEADER_REQUIRED'],
      [await rename({ ...fromConsole, origin: 'https://evil.example' }), 'FOREIGN_ORIGIN'],
      [await rename({ ...fromConsole, 'sec-fetch-site': 'cross-site' }), 'FOREIGN_ORIGIN'],
      [await browser.ask('GET', '/users/me', { headers: { origin: 'https://evil.example' } }), 'FOREIGN_ORIGIN'],
    ] as const;
    for (const [answer, code] of refusals) {
      expect([answer.status, answer.body]).toMatchObject([403, { error: { code } }]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
    expect((await browser.ask<{ name: string }>('GET', '/users/me')).body.name).toBe(admin.name);
    const own = { ...fromConsole, origin: testStack().gatewayUrl, 'sec-fetch-site': 'same-origin' };
    expect((await rename(own)).body).toMatchObject({ name: 'Renamed' });
  });

  it('a changed role counts at once, and so does the end of a session', async () => {
    const person = await createUser(admin, 'ADMIN');
    const [browser, other] = [await enter(person), await enter(person)];
    const addUser = () => browser.ask('POST', '/users', { body: {}, headers: fromConsole });
    expect((await addUser()).status).toBe(422);
    await admin.api().patch('/users', { uuid: person.uuid, role: 'USER' });
    expect((await addUser()).status).toBe(403);

    const password = 'another horse battery';
    const changed = await browser.ask('PATCH', '/users', {
      body: { password, currentPassword: person.password },
      headers: fromConsole,
    });
    expect(changed.status).toBe(200);
    expect([await browser.isIn(), await other.isIn()]).toEqual([true, false]);
    const last = await enter({ ...person, password });
    await admin.api().delete(`/users/${person.uuid}`);
    expect([await browser.isIn(), await last.isIn()]).toEqual([false, false]);
  });

  it('the limits of tokens are as published, and a token is no session', async () => {
    const limit = async (path: string, query?: Record<string, string>) =>
      (await admin.api().get(path, { query })).headers['ratelimit-limit'];
    expect([await limit('/users/me'), await limit('/calls', { page: '1' })]).toEqual(['60', '15']);
    const browser = new Browser();
    browser.cookie = `sabia_session=${admin.token}`;
    expect(await browser.isIn()).toBe(false);
    const session = (await enter(admin)).cookie.split('=')[1]!;
    expect((await admin.api().withToken(session).get('/users/me')).status).toBe(401);
  });

  it('npm start prints a link that enters as the demo user', async () => {
    const { consoleUrl, gatewayUrl, demo } = testStack();
    const { pathname, search } = new URL(consoleUrl);
    const browser = new Browser(gatewayUrl);
    const entered = await browser.ask('GET', pathname + search, { outsideApi: true });
    expect([entered.status, entered.headers['location']]).toEqual([303, '/console/']);
    expect((await browser.ask<SessionBody>('GET', '/session')).body.user.email).toBe(demo.email);
    const wrong = await new Browser().ask('GET', `${pathname}?key=wrong`, { outsideApi: true });
    expect([wrong.status, wrong.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
  });
});

import { freshIp, startSetup } from './fixtures/harness';
import type { Setup, TestResponse } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const english = { ...browser, 'accept-language': 'en-US,en;q=0.9,pt;q=0.8' };

const open = (path: string, headers: Record<string, string> = browser) => setup.gateway.ask(path, { headers });
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = browser) =>
  setup.gateway.ask(path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

function expectPage({ status, headers, text }: TestResponse, wanted: number, title: string): void {
  expect([status, headers['content-type']]).toEqual([wanted, 'text/html; charset=utf-8']);
  expect(/<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')).toBe(title);
  const policy = headers['content-security-policy'];
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:/);
  expect(policy).not.toMatch(/unsafe|script-src|http/);
}

describe('the page of an error, for a person in a browser,', () => {
  it.each([
    ['/nothing', 404, 'Página não encontrada', 'Page not found'],
    ['/api/v1/nothing', 404, 'Página não encontrada', 'Page not found'],
    ['/api/v1/users/me', 401, 'Entre para ver isto', 'Log in to see this'],
    ['/api/v1/users/login', 405, 'Este endereço não é uma página', 'This address is not a page'],
    ['/%zz', 400, 'Não entendemos este endereço', 'We do not understand this address'],
    ['/api/v1/recordings/x.wav', 403, 'Este link de gravação não vale', 'This recording link is not valid'],
    ['/api/v1/recordings/x.wav?signature=good', 404, 'Gravação não encontrada', 'Recording not found'],
    [
      '/api/v1/recordings/expired.wav?signature=good',
      404,
      'Esta gravação não é mais guardada',
      'This recording is no longer kept',
    ],
    ['/api/v1/accounts/confirm?token=away', 503, 'Agora não foi possível', 'Not right now'],
  ])('%s', async (path, status, portuguese, inEnglish) => {
    const page = await open(path);
    expectPage(page, status, portuguese);
    expect(page.text).toContain(page.headers['x-request-id']);
    expect(page.headers['ratelimit-limit']).toBe('60');
    expectPage(await open(path, english), status, inEnglish);
    // Programs get the JSON that they always got, whatever language their host speaks.
    for (const accept of [undefined, '*/*', 'application/json']) {
      const { error } = await open(path, { ...(accept && { accept }), 'accept-language': 'en' });
      expect(error).toMatchObject({ statusCode: status, requestId: expect.any(String) as string });
    }
  });

  it('keeps the headers of the error, and says how long to wait', async () => {
    expect((await open('/api/v1/users/login')).headers['allow']).toContain('POST');
    const ip = freshIp();
    const ask = () => setup.gateway.ask('/api/v1/nothing', { ip, headers: browser });
    await Promise.all(Array.from({ length: 60 }, ask));
    const page = await ask();
    expectPage(page, 429, 'Um momento, por favor');
    expect(page.text).toContain(`daqui a ${page.headers['retry-after']} s`);
  });

  it('contains nothing that the address smuggles in', async () => {
    const page = await open('/%3Cscript%3Ealert(1)%3C/script%3E?x=%3Cscript%3E', {
      ...browser,
      'x-request-id': "a'b`c",
    });
    expectPage(page, 404, 'Página não encontrada');
    expect(page.text).not.toContain('<script');
    expect(page.text).toContain('a&#39;b`c');
  });

  it('is not for programs with a token, whose library may ask for HTML by default', async () => {
    const { token } = setup.fake.addToken();
    const { error } = await setup.gateway.ask('/api/v1/nothing', { token, headers: browser });
    expect(error).toMatchObject({ statusCode: 404 });
  });
});

describe('a link in a mail', () => {
  it('leads to a form, which works without JavaScript and ends at the log-in', async () => {
    const page = await open('/api/v1/accounts/confirm?token=good');
    expectPage(page, 200, 'Confirme seu e-mail');
    expect(page.text).toContain('ana@x.test');
    expect(page.text).toContain('&lt;b&gt;acme&lt;/b&gt;');
    expect(page.text).toMatch(/<form method="post">[^]*name="token" value="good"[^]*name="password"/);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'content-language': 'pt-BR' });

    const short = await send('/api/v1/accounts/confirm?token=good', { token: 'good', password: 'short' });
    expectPage(short, 422, 'Confirme seu e-mail');
    expect(short.text).toContain('A senha precisa ter de 8 a 256 caracteres.');
    const done = await send('/api/v1/accounts/confirm', { token: 'good', password: 'long enough' });
    expectPage(done, 200, 'E-mail confirmado');
    expect(done.text).toContain('href="/console/login"');
  });

  it('answers programs with JSON when they send its code', async () => {
    const body = { token: 'good', password: 'long enough' };
    expect(await setup.gateway.ask('/api/v1/accounts/confirm', { json: body, headers: browser })).toMatchObject({
      status: 200,
      json: { email: 'ana@x.test' },
    });
    expect((await send('/api/v1/users/reset-password', body, {})).status).toBe(204);
  });

  it.each([
    ['', 400],
    ['?token=', 400],
    ['?token[]=x', 400],
    ['?token=%00', 400],
    ['?token=unknown', 410],
    ['?token=%22%3E%3Cscript%3E', 410],
  ])('that does not work offers a new one: %j', async (query, status) => {
    for (const path of ['/api/v1/accounts/confirm', '/api/v1/users/reset-password']) {
      const page = await open(path + query);
      expectPage(page, status, 'Este link não funciona');
      expect(page.text).toContain('name="email"');
      expect(page.text).not.toContain('<script');
    }
  });

  it.each([
    ['/api/v1/accounts/confirm', 'used', 'Este link já foi usado', 'href="/console/login"'],
    ['/api/v1/accounts/confirm', 'expired', 'Este link expirou', 'action="/api/v1/accounts/resend-confirmation"'],
    ['/api/v1/users/reset-password', 'expired', 'Este link expirou', 'action="/api/v1/users/reset"'],
    ['/api/v1/users/undo-email-change', 'expired', 'Este link expirou', 'administrador'],
    ['/api/v1/users/undo-email-change', 'used', 'Este link já foi usado', 'href="/console/login"'],
  ])('says what became of it: %s, %s', async (path, token, title, next) => {
    // Also to a program: the link is made for people.
    for (const headers of [browser, {}]) {
      const page = await open(`${path}?token=${token}`, headers);
      expectPage(page, 410, title);
      expect(page.text).toContain(next);
    }
  });

  it('is found to have expired also when its form is sent', async () => {
    const page = await send('/api/v1/users/reset-password', { token: 'expired', password: 'long enough' }, english);
    expectPage(page, 410, 'This link has expired');
  });

  it.each([
    ['/api/v1/accounts/resend-confirmation', 'Veja sua caixa de entrada'],
    ['/api/v1/users/reset', 'Veja sua caixa de entrada'],
  ])('is asked for by a form that tells nothing about the address: %s', async (path, title) => {
    const page = await send(path, { email: `ana+${path.length}@x.test` });
    expectPage(page, 202, title);
    expect(page.text).not.toContain('@x.test');
    expect(setup.fake.asked).toContain(`ana+${path.length}@x.test`);
  });

  it('is not asked for without an address', async () => {
    const page = await send('/api/v1/users/reset', { email: '' });
    expect([page.status, page.text.includes('Informe um e-mail.')]).toEqual([422, true]);
  });
});

describe('the pages', () => {
  it.each([
    ['/', {}, 'Telefonia que o seu sistema entende.'],
    ['/', english, 'Telephony that your system understands.'],
    ['/docs/quickstart', {}, 'Primeiros passos'],
    ['/docs/quickstart', english, 'Quickstart'],
    ['/docs/en/errors', {}, 'Errors'],
  ])('%s %j', async (path, headers, title) => {
    const page = await open(path, headers);
    expectPage(page, 200, title);
    expect(page.headers['ratelimit-limit']).toBeUndefined();
    expect(page.text).toContain('href="/console/"');
  });

  it('lead from the home page to an account, the console and the reference', async () => {
    const { text } = await open('/');
    for (const address of ['/console/signup', '/console/', '/docs', '/openapi.json']) {
      expect(text).toContain(`href="${address}"`);
    }
  });

  it.each([
    ['/docs', english, 'API reference'],
    ['/docs', {}, 'Referência da API'],
    ['/docs/pt-BR/', english, 'Referência da API'],
  ])('the reference, %s %j, runs its own scripts only', async (path, headers, title) => {
    const page = await open(path, headers);
    expect([page.status, page.text.includes(`<title>${title} · Sabiá</title>`)]).toEqual([200, true]);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    expect(page.headers['content-security-policy']).toContain("connect-src 'self';");
  });

  it('fill the address of this gateway in where the guides name one', async () => {
    const { text } = await open('/docs/quickstart');
    expect(text).toContain('API=http://sabia.test/api/v1');
    expect(text).not.toContain('localhost:8080');
  });

  it('know no other guide', async () => {
    expect((await open('/docs/nothing')).status).toBe(404);
    expect((await open('/docs/en/../../package')).status).toBe(404);
  });

  it('serve the OpenAPI document', async () => {
    const { json } = await setup.gateway.ask('/openapi.json');
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://sabia.test' }] });
    expect(Object.keys((json as { paths: object }).paths)).toContain('/api/v1/calls/{id}/hangup');
  });
});

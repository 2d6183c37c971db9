import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { createMailbox } from '../src/mailbox';
import { createAdmin, newEmail } from '../src/people';
import { invalid, loginFailed, refusalOf } from '../src/refusals';
import { confirm, confirmationLink, signUpBody, type SignUpBody } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';
import { testStack } from '../src/test-stack';

const client = () => createStackClient(testStack());
const mailbox = () => createMailbox(testStack().mailboxUrl);
const mailsTo = async (email: string) => (await mailbox().mails()).filter(({ to }) => to === email);

interface Waiting extends SignUpBody {
  link: string;
  path: string;
}

async function signUp(overrides: Partial<SignUpBody> = {}): Promise<Waiting> {
  const body = signUpBody(overrides);
  expect((await client().post('/accounts/signup', body)).status).toBe(201);
  const link = await confirmationLink(testStack().mailboxUrl, body.email);
  const { pathname, search } = new URL(link);
  return { ...body, link, path: pathname + search };
}

const open = (path: string) => client().get(path, { outsideApi: true });
const send = ({ link, password }: Pick<Waiting, 'link' | 'password'>) => confirm(client(), link, password);
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'en-GB,en' };

/** Sends the form of a page as a browser does; without an action it goes to the path of the confirmation. */
function fill(action: string, page: string, fields: Record<string, string>) {
  expect(page).toContain(action === '' ? '<form method="post">' : `<form method="post" action="${action}">`);
  const headers = { ...browser, 'content-type': 'application/x-www-form-urlencoded' };
  const rawBody = new URLSearchParams(fields).toString();
  const path = action === '' ? '/api/v1/accounts/confirm' : action;
  return client().post(path, undefined, { rawBody, headers, outsideApi: true });
}

const login = ({ email, password }: SignUpBody) => client().post('/users/login', { email, password });
const resend = (body: unknown) => client().post('/accounts/resend-confirmation', body);

/** No mail to this address is queued any longer, so all mails have been sent. */
const allMailsSent = (email: string) =>
  eventually(async () => {
    const rows = await queryDatabase(testStack().postgresUrl, 'SELECT id FROM identity.mails WHERE address = $1', [
      email,
    ]);
    return rows.length === 0;
  });

describe('GET /accounts/confirm', () => {
  it('shows a person a page, activates the account, and works once', async () => {
    const account = await signUp({ organization_name: 'Ana <b>& Co' });
    const early = await login(account);
    expect(refusalOf(early)).toEqual({
      status: 401,
      name: 'Error',
      code: 'LOGIN_FAILED_EMAIL_NOT_VERIFIED',
      message: 'login failed as the email has not been verified',
    });

    const page = await open(account.path);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(page.text).toContain('<title>Confirme seu e-mail');
    expect(page.text).toContain(account.email);
    expect(page.text).toContain(account.domain);
    // A mail scanner opened the link, too: nothing has happened yet.
    expect(refusalOf(await login(account)).code).toBe('LOGIN_FAILED_EMAIL_NOT_VERIFIED');
    expect(await send(account)).toMatchObject({ status: 200, body: { email: account.email, domain: account.domain } });
    expect((await login(account)).status).toBe(200);

    const again = await open(account.path);
    expect(again.status).toBe(410);
    expect(again.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(again.text).toContain('Este link já foi usado');
    expect(refusalOf(await send(account)).code).toBe('TOKEN_USED');
  });

  it('gives the account to the reader of the mail, not to the person who signed up with the address', async () => {
    const account = await signUp({ password: 'of the attacker' });
    expect(refusalOf(await send({ ...account, password: 'short' }))).toEqual(
      invalid('user', { password: ['length', 'must be at least 8 characters long'] }),
    );
    expect((await send({ ...account, password: 'of the reader' })).status).toBe(200);
    expect(refusalOf(await login(account))).toEqual(loginFailed);
    expect((await login({ ...account, password: 'of the reader' })).status).toBe(200);
  });

  it('is a form that works without JavaScript', async () => {
    const account = await signUp();
    const { text } = await open(account.path);
    const token = /name="token" value="([\w-]+)"/.exec(text)![1]!;
    const rawBody = new URLSearchParams({ token, password: account.password }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await client().post('/accounts/confirm', undefined, { rawBody, headers })).status).toBe(200);
    expect((await login(account)).status).toBe(200);
  });

  it('reveals nothing about the right password', async () => {
    const account = await signUp();
    expect(refusalOf(await login({ ...account, password: 'not-this-one' })).code).toBe('LOGIN_FAILED');
  });

  it('says when it came too late', async () => {
    const account = await signUp();
    await queryDatabase(
      testStack().postgresUrl,
      `UPDATE identity.one_time_tokens SET expires_at = now() - interval '1 second' WHERE email = $1`,
      [account.email],
    );
    const page = await open(account.path);
    expect(page.status).toBe(410);
    expect(page.text).toContain('Este link expirou');
    expect(refusalOf(await login(account)).code).toBe('LOGIN_FAILED_EMAIL_NOT_VERIFIED');

    // The page has a form, and a browser without JavaScript gets pages from there to the log-in.
    const asked = await fill('/api/v1/accounts/resend-confirmation', page.text, { email: account.email });
    expect([asked.status, asked.text.includes('Look into your inbox')]).toEqual([202, true]);
    await eventually(async () => (await mailsTo(account.email)).length === 2);
    const { pathname, search } = new URL(await confirmationLink(testStack().mailboxUrl, account.email));
    const form = await client().get(pathname + search, { outsideApi: true, headers: browser });
    const token = /name="token" value="([\w-]+)"/.exec(form.text)![1]!;
    const done = await fill('', form.text, { token, password: account.password });
    expect([done.status, done.text.includes('href="/console/login"')]).toEqual([200, true]);
    expect((await login(account)).status).toBe(200);
  });

  it('expires after 48 hours', async () => {
    const { email } = await signUp();
    const [link] = await queryDatabase<{ hours: number }>(
      testStack().postgresUrl,
      `SELECT extract(epoch FROM expires_at - created_at)::int / 3600 AS hours FROM identity.one_time_tokens WHERE email = $1`,
      [email],
    );
    expect(link?.hours).toBe(48);
  });

  it.each([
    ['?token=', 400],
    ['', 400],
    ['?token=a&token=b', 400],
    ['?token=%00', 400],
    ['?token=x', 410],
    [`?token=${'x'.repeat(43)}`, 410],
    ['?token=%3Cscript%3Ealert(1)%3C/script%3E', 410],
  ])('answers a page also for %j', async (query, status) => {
    const page = await open(`/api/v1/accounts/confirm${query}`);
    expect(page.status).toBe(status);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('Este link não funciona');
    expect(page.text).not.toContain('alert(1)');
  });

  it('answers a page also for a code that has no end', async () => {
    expect(await open(`/api/v1/accounts/confirm?token=${'x'.repeat(8000)}`)).toMatchObject({
      status: 410,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  });

  it('followed ten times at once confirms once', async () => {
    const account = await signUp();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(account)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
  });
});

describe('POST /accounts/resend-confirmation', () => {
  const uniform = { status: 202, message: 'If this address waits for its confirmation, an e-mail is on its way.' };

  it('sends another link; both work until one was followed', async () => {
    const account = await signUp();
    const answer = await resend({ email: account.email.toUpperCase(), extra: 1 });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 202, body: uniform });
    await eventually(async () => (await mailsTo(account.email)).length === 2);
    const second = new URL(await confirmationLink(testStack().mailboxUrl, account.email));
    expect(second.pathname + second.search).not.toBe(account.path);
    expect((await send(account)).status).toBe(200);
    expect((await open(second.pathname + second.search)).status).toBe(410);
    expect((await login(account)).status).toBe(200);
  });

  it('answers all requests alike and mails only unconfirmed users', async () => {
    const { email: confirmed } = await createAdmin(testStack());
    const unknown = newEmail();
    for (const body of [{ email: confirmed }, { email: unknown }, { email: 'nonsense' }, { email: '' }, {}]) {
      const answer = await resend(body);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 202, body: uniform });
    }
    await allMailsSent(confirmed);
    await allMailsSent(unknown);
    expect(await mailsTo(confirmed)).toHaveLength(1);
    expect(await mailsTo(unknown)).toHaveLength(0);
  });

  it('sends at most five links an hour, however often it is asked', async () => {
    const { email } = await signUp();
    const answers = await Promise.all(Array.from({ length: 12 }, () => resend({ email })));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(202));
    await allMailsSent(email);
    expect(await mailsTo(email)).toHaveLength(5);
  });
});

import { UpdateAccountRequest } from '@sabia/protos/sabia/identity/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { codesOf, newEmail, newSignUp, password, refusal, startIdentity } from './identity';
import type { Identity } from './identity';

let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const counts = async () => {
  const [row] = await identity.database.query<{ accounts: number; users: number }>(
    `SELECT (SELECT count(*)::int FROM accounts) AS accounts, (SELECT count(*)::int FROM users) AS users`,
  );
  return row!;
};

describe('the way in', () => {
  test('sign-up, mail, confirmation, login', async () => {
    const { client, catcher } = identity;
    const request = newSignUp();
    const email = request.email!;
    await expect(client.signUp(request)).resolves.toMatchObject({ status: 201 });

    const early = await refusal(identity.login(email));
    expect(early).toMatchObject({ code: 'LOGIN_FAILED_EMAIL_NOT_VERIFIED' });
    // Who does not know the password learns nothing about the confirmation.
    expect(await refusal(identity.login(email, 'wrong password'))).toMatchObject({ code: 'LOGIN_FAILED' });

    const token = await identity.linkToken(email);
    const [mail] = catcher.to(email);
    expect(mail!.text).toContain(`http://gateway.test/api/v1/accounts/confirm?token=${token}`);
    expect(mail!.html).toContain(`href="http://gateway.test/api/v1/accounts/confirm?token=${token}"`);
    expect(mail!.subject).toBe('Confirme seu e-mail para ativar sua conta no Sabiá');

    await expect(client.confirmEmail({ token, password })).resolves.toEqual({ email, domain: request.domain });
    const person = await identity.login(email);
    const { user } = await client.getMe({}, identity.as(person));
    expect(user).toMatchObject({
      email,
      role: 1,
      emailVerified: true,
      name: 'Padaria Central',
      phone: '+55 11 98888-7777',
    });
    expect(user!.lastLoginAt).toBeInstanceOf(Date);
    const { account } = await client.getAccount({}, identity.as(person));
    expect(account).toMatchObject({ domain: request.domain, name: 'Padaria Central', timeZone: 'America/Sao_Paulo' });
    expect(person.caller).toMatchObject({
      domain: request.domain,
      accountUuid: account!.uuid,
      userUuid: user!.uuid,
      email,
    });
  });

  test('the mails of an account are in its language', async () => {
    const request = newSignUp({ language: 'EN' });
    const email = request.email!;
    await identity.client.signUp(request);
    const token = await identity.linkToken(email);
    expect(identity.catcher.to(email)[0]).toMatchObject({
      subject: 'Confirm your e-mail address to activate your Sabiá account',
      html: expect.stringContaining('<html lang="en">') as string,
    });
    await identity.client.confirmEmail({ token, password });
    const person = await identity.login(email);
    const change = UpdateAccountRequest.fromPartial({ language: 'pt-BR' });
    const { account } = await identity.client.updateAccount(change, identity.as(person));
    expect(account).toMatchObject({ language: 'pt-BR' });
    await identity.client.requestPasswordReset({ email });
    await identity.linkToken(email, 2);
    expect(identity.catcher.to(email)[1]!.subject).toBe('Redefina sua senha do Sabiá');
  });

  test('a link works once, also when followed many times at once', async () => {
    const request = newSignUp();
    await identity.client.signUp(request);
    const token = await identity.linkToken(request.email!);
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => identity.client.confirmEmail({ token, password })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(identity.client.confirmEmail({ token, password }))).toMatchObject({ code: 'TOKEN_USED' });
  });

  test('a link expires after 48 hours, and unknown ones say so', async () => {
    const request = newSignUp();
    await identity.client.signUp(request);
    const token = await identity.linkToken(request.email!);
    identity.clock.offsetMs = 48 * 3600 * 1000 + 60_000;
    try {
      expect(await refusal(identity.client.confirmEmail({ token, password }))).toMatchObject({ code: 'TOKEN_EXPIRED' });
    } finally {
      identity.clock.offsetMs = 0;
    }
    for (const unknown of ['', 'x', '\0', 'x'.repeat(5000)]) {
      expect(await refusal(identity.client.confirmEmail({ token: unknown, password }))).toMatchObject({
        code: 'INVALID_TOKEN',
      });
    }
  });

  test('asked again, another link comes; both work until one is used', async () => {
    const request = newSignUp();
    const email = request.email!;
    await identity.client.signUp(request);
    const first = await identity.linkToken(email);
    await expect(identity.client.resendConfirmation({ email: email.toUpperCase() })).resolves.toMatchObject({
      status: 202,
    });
    const second = await identity.linkToken(email, 2);
    expect(second).not.toBe(first);
    await identity.client.confirmEmail({ token: second, password });
    expect(await refusal(identity.client.confirmEmail({ token: first, password }))).toMatchObject({
      code: 'INVALID_TOKEN',
    });
  });

  test('the response to a resend is the same for every address, and no mailbox can be flooded', async () => {
    const confirmed = await identity.createAccount();
    const waiting = newSignUp();
    await identity.client.signUp(waiting);
    const known = await identity.client.resendConfirmation({ email: waiting.email });
    for (const email of [undefined, '', 'nonsense', 'a\0b@c.de', newEmail(), confirmed.email]) {
      await expect(identity.client.resendConfirmation({ email })).resolves.toEqual(known);
    }
    for (let i = 0; i < 10; i += 1) {
      await identity.client.resendConfirmation({ email: waiting.email });
    }
    await eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 0);
    expect(identity.catcher.to(waiting.email!)).toHaveLength(5);
    expect(identity.catcher.to(confirmed.email)).toHaveLength(1);
  });
});

describe('refusals', () => {
  test('every field at once', async () => {
    const error = await refusal(
      identity.client.signUp(newSignUp({ organization_name: '', password: 'short', phone: 'x' })),
    );
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', context: 'account' });
    expect(codesOf(error)).toEqual({ organization_name: 'presence', password: 'length', phone: 'format' });
  });

  test('a taken e-mail and a taken domain, both told', async () => {
    const { email, caller } = await identity.createAccount();
    const again = await refusal(
      identity.client.signUp(newSignUp({ email: email.toUpperCase(), domain: caller.domain.toUpperCase() })),
    );
    expect(codesOf(again)).toEqual({ email: 'uniqueness', domain: 'uniqueness' });
    expect(again.violations.every(({ message }) => message.endsWith('already exists'))).toBe(true);
  });
});

describe('a hundred at once', () => {
  const signUpAll = (same: Partial<ReturnType<typeof newSignUp>>) =>
    Promise.allSettled(Array.from({ length: 100 }, () => identity.client.signUp(newSignUp(same))));

  test('with the same domain: one wins, nothing is half created', async () => {
    const before = await counts();
    const results = await signUpAll({ domain: 'crowded.sabia.localhost' });
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(99);
    for (const { reason } of lost) {
      expect(reason).toMatchObject({ code: 'VALIDATION_ERROR', context: 'account' });
      expect(codesOf(reason)).toEqual({ domain: 'uniqueness' });
    }
    expect(await counts()).toEqual({ accounts: before.accounts + 1, users: before.users + 1 });
  });

  test('with the same e-mail and domain: they are one', async () => {
    const before = await counts();
    const { email, domain } = newSignUp();
    const results = await signUpAll({ email, domain });
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await counts()).toEqual({ accounts: before.accounts + 1, users: before.users + 1 });
  });

  test('with the same e-mail: whichever is confirmed first stays', async () => {
    const before = await counts();
    const email = newEmail();
    const results = await signUpAll({ email });
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    const links = await Promise.all([1, 2, 3, 4, 5].map((count) => identity.linkToken(email, count)));
    const confirmed = await Promise.allSettled(links.map((token) => identity.client.confirmEmail({ token, password })));
    expect(confirmed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await counts()).toEqual({ accounts: before.accounts + 1, users: before.users + 1 });
    await identity.login(email);
  });
});

test('no row holds a password or a link', async () => {
  const request = newSignUp({ password: 'a very secret password' });
  await identity.client.signUp(request);
  const link = await identity.linkToken(request.email!);
  await identity.client.confirmEmail({ token: link, password: 'a very secret password' });
  const { token } = await identity.login(request.email!, 'a very secret password');
  await identity.client.requestPasswordReset({ email: request.email });
  const reset = await identity.linkToken(request.email!, 2);

  const tables = await identity.database.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['users', 'access_tokens', 'one_time_tokens', 'mails', 'outbox']),
  );
  for (const { name } of tables) {
    const rows = await identity.database.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    const all = rows.map(({ text }) => text).join('\n');
    for (const secret of ['a very secret password', password, link, token, reset]) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString('hex'));
    }
  }
});

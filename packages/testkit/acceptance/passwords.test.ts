import { queryDatabase } from '../src/find-in-database';
import { createMailbox, linkIn } from '../src/mailbox';
import { createAdmin, createUser, newEmail, type Person } from '../src/people';
import { accessDenied, blank, invalid, loginFailed, refusalOf, unauthorized } from '../src/refusals';
import { testStack } from '../src/test-stack';

const tooShort = ['length', 'must be at least 8 characters long'] satisfies [string, string];
const tooLong = ['length', 'must be at most 256 characters long'] satisfies [string, string];
const badCode = ['invalid', 'is unknown, used already or has expired'] satisfies [string, string];

describe('passwords', () => {
  let admin: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack());
  });

  const login = (email: string, password: string) =>
    admin.api().withToken(undefined).post<{ id: string }>('/users/login', { email, password });
  const statusOf = async (token: string) =>
    Promise.all(
      testStack().gatewayUrls.map(async (url) => (await admin.api().withToken(token).at(url).get('/users/me')).status),
    );

  describe('PATCH /users with a password', () => {
    const patch = (by: Person, body: unknown) => by.api().patch('/users', body);

    it('changes with the current password, and ends the other sessions immediately', async () => {
      const someone = await createUser(admin);
      const elsewhere = (await login(someone.email, someone.password)).body.id;
      expect(await statusOf(elsewhere)).toEqual([200, 200]);
      const changed = await patch(someone, { password: 'a new password', currentPassword: someone.password });
      expect(changed.status).toBe(200);
      expect(changed.text).not.toMatch(/password/i);
      expect(await statusOf(elsewhere)).toEqual([401, 401]);
      expect(await statusOf(someone.token)).toEqual([200, 200]);
      expect(refusalOf(await login(someone.email, someone.password))).toEqual(loginFailed);
      expect((await login(someone.email, 'a new password')).status).toBe(200);
    });

    it.each([
      [{ password: 'a new password' }, { currentPassword: blank }],
      [{ password: 'a new password', currentPassword: '' }, { currentPassword: blank }],
      [
        { password: 'a new password', currentPassword: 'not this one' },
        { currentPassword: ['mismatch', 'is not the current password'] },
      ],
      [{ password: 'short', currentPassword: 'x' }, { password: tooShort }],
      [{ password: 'x'.repeat(257), currentPassword: 'x' }, { password: tooLong }],
      [{ password: '' }, { password: blank, currentPassword: blank }],
    ] as [object, Record<string, [string, string]>][])('refuses %j', async (body, problems) => {
      expect(refusalOf(await patch(admin, body))).toEqual(invalid('user', problems));
    });

    it('of another is an ADMIN’s to set, and ends all his sessions', async () => {
      const someone = await createUser(admin);
      expect(refusalOf(await patch(someone, { uuid: admin.uuid, password: 'a new password' }))).toEqual(accessDenied);
      expect((await patch(admin, { uuid: someone.uuid, password: 'set by the admin' })).status).toBe(200);
      expect(await statusOf(someone.token)).toEqual([401, 401]);
      expect(await statusOf(admin.token)).toEqual([200, 200]);
      expect((await login(someone.email, 'set by the admin')).status).toBe(200);
    });

    it('guesses at the current one are counted as failed logins', async () => {
      const someone = await createUser(admin);
      const guess = () => patch(someone, { password: 'a new password', currentPassword: 'a guess' });
      for (let n = 0; n < 10; n += 1) expect((await guess()).status).toBe(422);
      expect(refusalOf(await guess())).toMatchObject({ status: 429, code: 'RATE_LIMITED', name: 'TooManyRequests' });
      expect((await login(someone.email, someone.password)).status).toBe(429);
    });
  });

  describe('by mail', () => {
    const reset = (body: unknown) => admin.api().withToken(undefined).post('/users/reset', body);
    const setPassword = (body: unknown) => admin.api().withToken(undefined).post('/users/reset-password', body);
    const mailbox = () => createMailbox(testStack().mailboxUrl);
    const isReset = ({ subject }: { subject: string }) => subject === 'Redefina sua senha do Sabiá';
    const uniform = { status: 202, message: 'If a user has this address, an e-mail is on its way.' };

    async function askFor(email: string): Promise<{ code: string; path: string }> {
      expect((await reset({ email: email.toUpperCase() })).status).toBe(202);
      const mail = await mailbox().waitForMail(email, isReset);
      const { pathname, search, searchParams } = new URL(linkIn(mail, '/users/reset-password'));
      return { code: searchParams.get('token') ?? '', path: pathname + search };
    }

    it('a link leads to a page for people, and its code sets a new password, once', async () => {
      const someone = await createUser(admin);
      const { code, path } = await askFor(someone.email);
      const page = await admin.api().get(path, { outsideApi: true });
      expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
      expect(page.text).toContain('Escolha uma nova senha');
      expect(page.text).toContain(code);

      expect(refusalOf(await setPassword({ token: code, password: 'short' }))).toEqual(
        invalid('user', { password: tooShort }),
      );
      const done = await setPassword({ token: code, password: 'from the mail', extra: 1 });
      expect({ status: done.status, text: done.text }).toEqual({ status: 204, text: '' });
      expect(await statusOf(someone.token)).toEqual([401, 401]);
      expect(refusalOf(await someone.api().get('/users/me'))).toEqual(unauthorized);
      expect(refusalOf(await login(someone.email, someone.password))).toEqual(loginFailed);
      expect((await login(someone.email, 'from the mail')).status).toBe(200);
      expect(refusalOf(await setPassword({ token: code, password: 'once more please' }))).toEqual(
        invalid('user', { token: badCode }),
      );
    });

    it('the answer does not reveal who is a user; only users get a mail', async () => {
      const unknown = newEmail();
      for (const email of [admin.email, unknown, 'nonsense'])
        expect(await reset({ email })).toMatchObject({ status: 202, body: uniform });
      await mailbox().waitForMail(admin.email, isReset);
      expect((await mailbox().mails()).filter(({ to }) => to === unknown)).toEqual([]);
      for (const body of [{}, { email: ' ' }, { email: null }])
        expect(refusalOf(await reset(body))).toEqual(invalid('user', { email: blank }));
    });

    it.each([
      [{}, { token: blank, password: blank }],
      [{ token: 'x', password: 'long enough' }, { token: badCode }],
      [{ token: '', password: 'long enough' }, { token: blank }],
      [{ token: ['x'], password: 'long enough' }, { token: ['type', 'must be a string'] }],
      [{ token: 'x', password: 'short' }, { password: tooShort }],
    ] as [object, Record<string, [string, string]>][])('refuses %j', async (body, problems) => {
      expect(refusalOf(await setPassword(body))).toEqual(invalid('user', problems));
    });

    it('a code lives for an hour, and used ten times at once it works once', async () => {
      const someone = await createUser(admin);
      const first = await askFor(someone.email);
      const [row] = await queryDatabase<{ minutes: number }>(
        testStack().postgresUrl,
        `WITH before AS (SELECT token_hash, expires_at FROM identity.one_time_tokens WHERE email = $1)
         UPDATE identity.one_time_tokens t SET expires_at = now() FROM before WHERE t.token_hash = before.token_hash
         RETURNING extract(epoch FROM before.expires_at - t.created_at)::int / 60 AS minutes`,
        [someone.email],
      );
      expect(row?.minutes).toBe(60);
      expect(refusalOf(await setPassword({ token: first.code, password: 'came too late' }))).toEqual(
        invalid('user', { token: badCode }),
      );
      await reset({ email: someone.email });
      const mail = await mailbox().waitForMail(someone.email, ({ text }) => !text.includes(first.code));
      const token = new URL(linkIn(mail, '/users/reset-password')).searchParams.get('token');
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => setPassword({ token, password: `new password ${n}` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(9).fill(422)]);
    });

    it('lets in a user who was locked out by failed logins', async () => {
      const someone = await createUser(admin);
      for (let n = 0; n < 10; n += 1) await login(someone.email, 'wrong password');
      expect((await login(someone.email, someone.password)).status).toBe(429);
      const { code } = await askFor(someone.email);
      expect((await setPassword({ token: code, password: 'from the mail' })).status).toBe(204);
      expect((await login(someone.email, 'from the mail')).status).toBe(200);
    });

    it('a link is void once the user has another e-mail or another password', async () => {
      for (const change of [{ email: newEmail(), emailVerified: true }, { password: 'a new password' }]) {
        const someone = await createUser(admin);
        const { code } = await askFor(someone.email);
        expect((await admin.api().patch('/users', { ...change, uuid: someone.uuid })).status).toBe(200);
        expect(refusalOf(await setPassword({ token: code, password: 'from the mail' }))).toEqual(
          invalid('user', { token: badCode }),
        );
      }
    });
  });
});

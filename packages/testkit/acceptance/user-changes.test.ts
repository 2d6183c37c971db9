import type { User } from '@sabia/client';
import { createMailbox, linkIn } from '../src/mailbox';
import { createAdmin, createUser, logIn, newEmail, type Person } from '../src/people';
import {
  accessDenied,
  blank,
  invalid,
  lastAdmin,
  loginFailed,
  refusalOf,
  taken,
  unauthorized,
  unknownId,
} from '../src/refusals';
import { confirm, confirmationLink } from '../src/sign-up';
import { testStack } from '../src/test-stack';

describe('PATCH /users', () => {
  let admin: Person;
  let user: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack());
    user = await createUser(admin);
  });

  const patch = (by: Person, body: unknown) => by.api().patch<User>('/users', body);
  const login = ({ email, password }: { email: string; password: string }) =>
    admin.api().post('/users/login', { email, password });
  const follow = async (email: string, password: string) =>
    confirm(admin.api(), await confirmationLink(testStack().mailboxUrl, email), password);

  describe('the changed user', () => {
    it('is the caller when no user is named, or the user named by uuid or id', async () => {
      for (const named of [
        {},
        { uuid: '' },
        { id: null },
        { id: 0 },
        { uuid: user.uuid },
        { uuid: user.uuid.toUpperCase() },
        { id: user.id },
        { id: String(user.id) },
        { id: user.uuid },
      ]) {
        const name = `Named by ${JSON.stringify(named)}`;
        const answer = await patch(user, { ...named, name });
        expect(answer.status).toBe(200);
        const { updatedAt, ...same } = (await user.api().get<User>('/users/me')).body;
        expect(answer.body).toEqual({ ...same, updatedAt });
        expect(same).toMatchObject({ name, uuid: user.uuid, createdAt: user.createdAt });
      }
    });

    it('may be another for an ADMIN only', async () => {
      const answer = await patch(admin, { uuid: user.uuid, name: 'By the admin', phone: '(11) 3456-7890' });
      expect(answer).toMatchObject({
        status: 200,
        body: { uuid: user.uuid, name: 'By the admin', phone: '(11) 3456-7890' },
      });
      expect(refusalOf(await patch(user, { uuid: admin.uuid, name: 'By the user' }))).toEqual(accessDenied);
      expect(refusalOf(await patch(user, { id: admin.id }))).toEqual(accessDenied);
    });

    it('is no user when the name is unknown', async () => {
      for (const uuid of ['00000000-0000-0000-0000-000000000000', 'nobody', '-1'])
        expect(refusalOf(await patch(admin, { uuid, name: 'x' }))).toEqual(unknownId('user', uuid));
    });
  });

  describe('the changed fields', () => {
    it('are those that differ: a client may send the whole user back', async () => {
      const me = (await user.api().get<User>('/users/me')).body;
      const answer = await patch(user, { ...me, name: 'Renamed', phone: 551134567890, password: undefined });
      expect(answer.body).toEqual({
        ...me,
        name: 'Renamed',
        first_name: 'Renamed',
        phone: '551134567890',
        updatedAt: answer.body.updatedAt,
      });
      expect((await patch(user, {})).body).toEqual({
        ...answer.body,
        updatedAt: expect.any(String) as string,
      });
    });

    it.each([
      ['name', ' ', blank],
      ['name', 'x'.repeat(201), ['length', 'must be at most 200 characters long']],
      ['email', '', blank],
      ['email', 'a@b@c.de', ['format', 'is not a valid e-mail address']],
      ['phone', '123', ['format', 'is not a valid phone number']],
      ['phone', true, ['type', 'must be a string']],
      ['role', 'KING', ['inclusion', 'must be one of ADMIN, USER']],
      ['emailVerified', 'yes', ['type', 'must be true or false']],
    ] as [string, unknown, [string, string]][])('refuses %s %j', async (field, value, problem) => {
      expect(refusalOf(await patch(user, { name: 'Not to be seen', [field]: value }))).toEqual(
        invalid('user', { [field]: problem }),
      );
      expect((await user.api().get<User>('/users/me')).body.name).not.toBe('Not to be seen');
    });

    it('role and emailVerified are for an ADMIN', async () => {
      for (const body of [{ role: 'ADMIN' }, { role: 'ADMIN', name: 'x' }, { emailVerified: false }])
        expect(refusalOf(await patch(user, body))).toEqual(accessDenied);
      const someone = await createUser(admin);
      expect(await patch(admin, { uuid: someone.uuid, emailVerified: 0 })).toMatchObject({
        body: { emailVerified: false },
      });
      expect(refusalOf(await login(someone)).code).toBe('LOGIN_FAILED_EMAIL_NOT_VERIFIED');
      expect(await patch(admin, { uuid: someone.uuid, emailVerified: 1 })).toMatchObject({
        body: { emailVerified: true },
      });
      expect((await login(someone)).status).toBe(200);
    });

    it('a new role counts at once, at every gateway', async () => {
      const someone = await createUser(admin);
      const gateways = testStack().gatewayUrls;
      const asAdmin = async () =>
        Promise.all(gateways.map(async (url) => (await someone.api().at(url).patch('/accounts', {})).status));
      expect(await asAdmin()).toEqual(gateways.map(() => 403));
      expect((await patch(admin, { uuid: someone.uuid, role: 'admin' })).body).toMatchObject({ role: 'ADMIN' });
      expect(await asAdmin()).toEqual(gateways.map(() => 200));
      expect((await patch(admin, { uuid: someone.uuid, role: 'USER' })).body).toMatchObject({ role: 'USER' });
      expect(await asAdmin()).toEqual(gateways.map(() => 403));
    });

    it('the last ADMIN stays one', async () => {
      const own = await createAdmin(testStack());
      const colleague = await createUser(own);
      expect(refusalOf(await patch(own, { role: 'USER' }))).toEqual(lastAdmin);
      expect((await patch(own, { role: 'ADMIN' })).status).toBe(200);
      expect((await patch(own, { uuid: colleague.uuid, role: 'ADMIN' })).status).toBe(200);
      expect((await patch(own, { role: 'USER' })).body).toMatchObject({ role: 'USER' });
      expect(refusalOf(await patch(colleague, { role: 'USER' }))).toEqual(lastAdmin);
    });
  });

  describe('a new e-mail', () => {
    it('counts once it is confirmed with the password; until then the old one does', async () => {
      const someone = await createUser(admin);
      const email = newEmail();
      // Like a client that sends the whole user back: emailVerified of the old address does not verify the new one.
      const changed = await patch(someone, { ...someone, email: email.toUpperCase(), password: undefined });
      expect(changed).toMatchObject({
        status: 200,
        body: { email: someone.email, emailVerified: true, pendingEmail: email },
      });
      expect((await someone.api().get('/users/me')).body).toEqual(changed.body);
      expect(refusalOf(await login({ ...someone, email }))).toEqual(loginFailed);
      expect((await login(someone)).status).toBe(200);

      const mail = await createMailbox(testStack().mailboxUrl).waitForMail(email);
      expect(mail.subject).toBe('Confirme seu e-mail');
      expect(refusalOf(await follow(email, 'not the password'))).toEqual(
        invalid('user', { password: ['mismatch', 'is not the current password'] }),
      );
      expect((await follow(email, someone.password)).status).toBe(200);
      expect(refusalOf(await login(someone))).toEqual(loginFailed);
      const again = await logIn(someone.api(), email, someone.password);
      const { body } = await again.get<User>('/users/me');
      expect(body).toMatchObject({ uuid: someone.uuid, email, emailVerified: true });
      expect(body).not.toHaveProperty('pendingEmail');
    });

    it('shows no senha of any extension until it is confirmed, at any gateway', async () => {
      const someone = await createUser(admin);
      const [email_address, ramal] = [newEmail(), '7001'];
      const extension = { ramal, senha: 'um-segredo-bem-longo', first_name: 'Ana', last_name: 'Silva', email_address };
      expect((await admin.api().post('/extensions', extension)).status).toBe(200);
      const seen = async () => {
        const lists = testStack().gatewayUrls.map((url) =>
          someone.api().at(url).get<{ ramal: string; senha: string | null }[]>('/extensions'),
        );
        return (await Promise.all(lists)).map(({ body }) => body.find((each) => each.ramal === ramal)?.senha);
      };
      await patch(someone, { email: email_address });
      expect(await seen()).toEqual([null, null]);
      expect((await follow(email_address, someone.password)).status).toBe(200);
      expect(await seen()).toEqual([extension.senha, extension.senha]);
      // An address that is no longer verified shows nothing either.
      await patch(admin, { uuid: someone.uuid, emailVerified: false });
      expect(await seen()).toEqual([null, null]);
    });

    it('is undone from the mailbox of the old one, also after it was confirmed', async () => {
      const someone = await createUser(admin);
      const email = newEmail();
      await patch(someone, { email });
      expect((await follow(email, someone.password)).status).toBe(200);
      const notice = await createMailbox(testStack().mailboxUrl).waitForMail(
        someone.email,
        ({ subject }) => subject === 'Seu e-mail no Sabiá foi alterado',
      );
      const link = new URL(linkIn(notice, '/users/undo-email-change'));
      const page = await admin.api().get(link.pathname + link.search, { outsideApi: true });
      expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
      expect(page.text).toContain('<title>Mantenha seu e-mail');
      const undo = { token: link.searchParams.get('token'), password: 'chosen by the owner' };
      expect((await admin.api().post('/users/undo-email-change', undo)).status).toBe(204);
      expect(refusalOf(await someone.api().get('/users/me'))).toEqual(unauthorized);
      expect(refusalOf(await login({ ...someone, email }))).toEqual(loginFailed);
      expect((await login({ ...someone, password: undo.password })).status).toBe(200);
    });

    it('makes links to the one before worthless', async () => {
      const someone = await createUser(admin);
      const [first, second] = [newEmail(), newEmail()];
      await patch(someone, { email: first });
      const { pathname, search } = new URL(await confirmationLink(testStack().mailboxUrl, first));
      await patch(someone, { email: second });
      expect((await admin.api().get(pathname + search, { outsideApi: true })).status).toBe(410);
      expect((await follow(second, someone.password)).status).toBe(200);
    });

    it('is verified when an ADMIN says so, and then needs no mail', async () => {
      const someone = await createUser(admin);
      const email = newEmail();
      const changed = await patch(admin, { id: someone.id, email, emailVerified: true });
      expect(changed.body).toMatchObject({ email, emailVerified: true });
      expect((await login({ ...someone, email })).status).toBe(200);
    });

    it('must not belong to another user', async () => {
      for (const email of [admin.email, admin.email.toUpperCase()])
        expect(refusalOf(await patch(user, { email }))).toEqual(invalid('user', { email: taken }));
      expect((await patch(user, { email: user.email.toUpperCase() })).body).toMatchObject({
        email: user.email,
        emailVerified: true,
      });
    });
  });
});

import type { User } from '@sabia/client';
import { createMailbox } from '../src/mailbox';
import { createAdmin, createUser, newEmail, newUser, type Person } from '../src/people';
import { accessDenied, blank, invalid, lastAdmin, loginFailed, refusalOf, taken, unknownId } from '../src/refusals';
import { isoTime, uuidText } from '../src/shapes';
import { confirm, confirmationLink } from '../src/sign-up';
import { testStack } from '../src/test-stack';

describe('users of an account', () => {
  let admin: Person;
  let user: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack());
    user = await createUser(admin);
  });

  const create = (body: unknown, headers: Record<string, string> = {}) =>
    admin.api().post<User>('/users', body, { headers });
  const login = (email: string, password: string) => admin.api().post('/users/login', { email, password });

  describe('POST /users', () => {
    it('creates a user who logs in once the e-mail is confirmed', async () => {
      const body = newUser();
      const created = await create({ ...body, email: body.email.toUpperCase(), role: 'USER' });
      expect(created.status).toBe(200);
      expect(created.body).toEqual({
        id: expect.any(Number) as number,
        uuid: expect.stringMatching(uuidText) as string,
        name: body.name,
        first_name: body.name,
        email: body.email,
        phone: body.phone,
        role: 'USER',
        emailVerified: false,
        createdAt: expect.stringMatching(isoTime) as string,
        updatedAt: created.body.createdAt,
        lastLoginAt: null,
      });
      expect(refusalOf(await login(body.email, body.password)).code).toBe('LOGIN_FAILED_EMAIL_NOT_VERIFIED');
      const link = await confirmationLink(testStack().mailboxUrl, body.email);
      expect((await confirm(admin.api(), link, body.password)).status).toBe(200);
      expect(await login(body.email, body.password)).toMatchObject({ status: 200, body: { userId: created.body.id } });
    });

    it('needs no phone and no role, and an ADMIN may vouch for the e-mail', async () => {
      const { phone: _phone, ...body } = newUser();
      const created = await create({ ...body, emailVerified: 'true', account: 'ignored' });
      expect(created.body).toMatchObject({ phone: null, role: 'USER', emailVerified: true });
      expect((await login(body.email, body.password)).status).toBe(200);
      const mails = await createMailbox(testStack().mailboxUrl).mails();
      expect(mails.filter(({ to }) => to === body.email)).toEqual([]);
    });

    it.each([
      ['name', undefined, blank],
      ['name', {}, ['type', 'must be a string']],
      ['email', undefined, blank],
      ['email', 'nobody', ['format', 'is not a valid e-mail address']],
      ['password', undefined, blank],
      ['password', 'seven77', ['length', 'must be at least 8 characters long']],
      ['password', 'x'.repeat(257), ['length', 'must be at most 256 characters long']],
      ['phone', '12', ['format', 'is not a valid phone number']],
      ['role', 'OWNER', ['inclusion', 'must be one of ADMIN, USER']],
      ['role', 7, ['inclusion', 'must be one of ADMIN, USER']],
      ['emailVerified', 'maybe', ['type', 'must be true or false']],
    ] as [string, unknown, [string, string]][])('refuses %s %j', async (field, value, problem) => {
      expect(refusalOf(await create({ ...newUser(), [field]: value }))).toEqual(invalid('user', { [field]: problem }));
    });

    it('names everything that is wrong in one answer', async () => {
      expect(refusalOf(await create({ email: 'x', password: 'y', phone: 'z' }))).toEqual(
        invalid('user', {
          name: blank,
          email: ['format', 'is not a valid e-mail address'],
          password: ['length', 'must be at least 8 characters long'],
          phone: ['format', 'is not a valid phone number'],
        }),
      );
    });

    it('refuses an e-mail that is taken, in this account or another', async () => {
      const stranger = await createAdmin(testStack());
      for (const email of [user.email, user.email.toUpperCase(), stranger.email])
        expect(refusalOf(await create({ ...newUser(), email }))).toEqual(invalid('user', { email: taken }));
    });

    it('is for an ADMIN, whatever the body', async () => {
      for (const body of [newUser(), {}, { ...newUser(), role: 'ADMIN' }])
        expect(refusalOf(await user.api().post('/users', body))).toEqual(accessDenied);
    });

    it('creates once per Idempotency-Key', async () => {
      const body = newUser();
      const headers = { 'idempotency-key': body.email };
      const first = await create(body, headers);
      const again = await create(body, headers);
      expect(first.status).toBe(200);
      expect(again).toMatchObject({ status: 200, text: first.text, headers: { 'idempotent-replayed': 'true' } });
      const other = await create({ ...body, name: 'Other' }, headers);
      expect(refusalOf(other)).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
    });
  });

  describe('reading', () => {
    it('GET /users/{uuid} answers the same to ADMIN and USER, by uuid or number', async () => {
      const { password: _password, token: _token, api: _api, ...record } = user;
      for (const reader of [admin, user])
        for (const name of [user.uuid, user.uuid.toUpperCase(), user.id])
          expect(await reader.api().get(`/users/${name}`)).toMatchObject({ status: 200, body: record });
    });

    it.each(['nobody', '0', '-1', '1.5', '00000000-0000-0000-0000-000000000000', '9'.repeat(30), "' OR 1=1"])(
      'GET /users/%s is not found',
      async (name) => {
        const answer = await admin.api().get(`/users/${encodeURIComponent(name)}`);
        expect(refusalOf(answer)).toEqual(unknownId('user', name));
      },
    );

    it('GET /users answers an array of all of them, id ascending', async () => {
      const own = await createAdmin(testStack());
      const others = [await createUser(own), await createUser(own, 'ADMIN')];
      const list = await others[0]!.api().get<User[]>('/users');
      expect(list.status).toBe(200);
      expect(list.body.map(({ uuid }) => uuid)).toEqual([own.uuid, ...others.map(({ uuid }) => uuid)]);
      expect(list.body[0]).toEqual((await own.api().get('/users/me')).body);
      expect(list.text).not.toMatch(/password|hash|argon/i);
    });
  });

  describe('DELETE /users/{uuid}', () => {
    it('ends the user and all that he had, and frees the e-mail', async () => {
      const leaving = await createUser(admin);
      const deleted = await admin.api().delete(`/users/${leaving.uuid}`);
      expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' });
      for (const gatewayUrl of testStack().gatewayUrls)
        expect((await leaving.api().at(gatewayUrl).get('/users/me')).status).toBe(401);
      expect(refusalOf(await login(leaving.email, leaving.password))).toEqual(loginFailed);
      expect(refusalOf(await admin.api().get(`/users/${leaving.uuid}`))).toEqual(unknownId('user', leaving.uuid));
      expect(refusalOf(await admin.api().delete(`/users/${leaving.uuid}`))).toEqual(unknownId('user', leaving.uuid));
      expect((await create({ ...newUser(), email: leaving.email })).status).toBe(200);
    });

    it('is for an ADMIN, and not for the last one', async () => {
      const own = await createAdmin(testStack());
      const colleague = await createUser(own);
      expect(refusalOf(await colleague.api().delete(`/users/${colleague.uuid}`))).toEqual(accessDenied);
      expect(refusalOf(await own.api().delete(`/users/${own.uuid}`))).toEqual(lastAdmin);
      const second = await createUser(own, 'ADMIN');
      expect((await own.api().delete(`/users/${own.id}`)).status).toBe(204);
      expect(refusalOf(await second.api().delete(`/users/${second.uuid}`))).toEqual(lastAdmin);
    });

    it('finds no user by a malformed name', async () => {
      for (const name of ['nobody', newEmail()])
        expect(refusalOf(await admin.api().delete(`/users/${name}`))).toEqual(unknownId('user', name));
    });
  });
});

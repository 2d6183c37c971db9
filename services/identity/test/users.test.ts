import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { CreateUserRequest, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { codesOf, newEmail, password, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

let identity: Identity;
let admin: Person;
let user: Person;
let stranger: Person;

beforeAll(async () => {
  identity = await startIdentity();
  admin = await identity.createAccount();
  user = await identity.createUser(admin);
  stranger = await identity.createAccount();
});
afterAll(() => identity.stop());

const create = (by: Person, request: Partial<CreateUserRequest>) =>
  identity.client.createUser(
    CreateUserRequest.fromPartial({ name: 'Bruno', email: newEmail(), password, ...request }),
    identity.as(by),
  );
const get = (by: Person, uuid: string) => identity.client.getUser({ uuid }, identity.as(by));
const remove = (by: Person, uuid: string) => identity.client.deleteUser({ uuid }, identity.as(by));
const list = async (by: Person, filter?: object | string) =>
  (
    await identity.client.listUsers(
      { filter: typeof filter === 'object' ? JSON.stringify(filter) : filter },
      identity.as(by),
    )
  ).users;

describe('reading', () => {
  test('by uuid and by number, for ADMIN and USER', async () => {
    for (const reader of [admin, user]) {
      for (const name of [user.caller.userUuid, user.caller.userUuid.toUpperCase(), String(user.caller.userId)]) {
        const { user: found } = await get(reader, name);
        expect(found).toMatchObject({ uuid: user.caller.userUuid, id: user.caller.userId, email: user.email });
      }
    }
  });

  test.each(['', 'nobody', '0', '-1', '00000000-0000-0000-0000-000000000000', '\0', '9'.repeat(30)])(
    '%j is no user',
    async (uuid) => {
      expect(await refusal(get(admin, uuid))).toMatchObject({
        code: 'MODEL_NOT_FOUND',
        message: `Unknown "user" id "${uuid}".`,
      });
    },
  );

  test('the list, filtered', async () => {
    const everybody = await list(user);
    expect(everybody.map(({ id }) => id)).toEqual(everybody.map(({ id }) => id).sort((a, b) => a - b));
    expect(everybody.every(({ email }) => email !== stranger.email)).toBe(true);
    expect(await list(user, { where: { email: user.email } })).toHaveLength(1);
    expect((await list(user, { where: { role: 'ADMIN', id: String(admin.caller.userId) } }))[0]).toMatchObject({
      email: admin.email,
    });
    expect(
      await list(user, { where: { uuid: { inq: [user.caller.userUuid, stranger.caller.userUuid] } } }),
    ).toHaveLength(1);
    expect(await list(user, { where: { or: [{ email: stranger.email }, { id: stranger.caller.userId }] } })).toEqual(
      [],
    );
    expect(await list(user, { order: ['id DESC'], limit: 1 })).toEqual([everybody.at(-1)]);
    expect(
      (await list(user, { where: { emailVerified: 'true', createdAt: { gte: '2020-01-01' } }, fields: ['email'] }))
        .length,
    ).toBeGreaterThan(0);
  });

  test.each([
    '[]',
    '{"where":{"password_hash":{"like":"%"}}}',
    '{"where":{"account_id":1}}',
    '{"include":"tokens"}',
    '{',
  ])('%s is no filter', async (filter) => {
    expect(await refusal(list(user, filter))).toMatchObject({ code: 'INVALID_FILTER' });
  });
});

describe('changing', () => {
  test('the caller, without an id or by it, ignoring unchanged fields', async () => {
    const someone = await identity.createUser(admin);
    for (const uuid of [undefined, '', '0', someone.caller.userUuid, String(someone.caller.userId)]) {
      const name = `Named by "${String(uuid)}"`;
      const { user: changed } = await identity.update(someone, {
        uuid,
        name,
        role: Role.USER,
        emailVerified: true,
        email: someone.email,
      });
      expect(changed).toMatchObject({ name, uuid: someone.caller.userUuid, emailVerified: true });
    }
    const { user: same } = await identity.update(someone, {});
    expect(same).toMatchObject({ email: someone.email });
  });

  test('another user: ADMIN only', async () => {
    const someone = await identity.createUser(admin);
    const { user: changed } = await identity.update(admin, {
      uuid: someone.caller.userUuid,
      name: 'By admin',
      phone: '+5511988887777',
    });
    expect(changed).toMatchObject({ name: 'By admin', phone: '+5511988887777' });
    expect(await refusal(identity.update(user, { uuid: someone.caller.userUuid, name: 'x' }))).toMatchObject({
      code: 'ACCESS_DENIED',
    });
  });

  test('role and emailVerified: ADMIN only', async () => {
    expect(await refusal(identity.update(user, { role: Role.ADMIN }))).toMatchObject({ code: 'ACCESS_DENIED' });
    expect(await refusal(identity.update(user, { emailVerified: false }))).toMatchObject({ code: 'ACCESS_DENIED' });
    const someone = await identity.createUser(admin);
    const { user: promoted } = await identity.update(admin, { uuid: someone.caller.userUuid, role: Role.ADMIN });
    expect(promoted!.role).toBe(Role.ADMIN);
    // The token lives on and knows the new role.
    expect((await identity.authenticate(someone.token)).caller).toMatchObject({ role: Role.ADMIN });
  });

  test('all violations are reported at once', async () => {
    expect(codesOf(await refusal(identity.update(user, { name: ' ', email: 'x', phone: 'y', password: 'z' })))).toEqual(
      {
        name: 'presence',
        email: 'format',
        phone: 'format',
        password: 'length',
        currentPassword: 'presence',
      },
    );
    expect(codesOf(await refusal(identity.update(user, { email: stranger.email })))).toEqual({ email: 'uniqueness' });
  });
});

describe('a new e-mail', () => {
  test('a link to the address before is void', async () => {
    const someone = await identity.createUser(admin);
    const [first, second] = [newEmail(), newEmail()];
    await identity.update(someone, { email: first });
    const token = await identity.linkToken(first);
    await identity.update(someone, { email: second });
    expect(await refusal(identity.client.confirmEmail({ token, password }))).toMatchObject({ code: 'INVALID_TOKEN' });
    await identity.client.confirmEmail({ token: await identity.linkToken(second), password });
  });

  test('confirmed and changed at once: one comes first, neither blocks the other', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => identity.createUser(admin)));
    await Promise.all(
      people.map(async (someone) => {
        const email = newEmail();
        await identity.update(someone, { email });
        const token = await identity.linkToken(email);
        const [confirmed, changed] = await Promise.allSettled([
          identity.client.confirmEmail({ token, password }),
          identity.update(admin, { uuid: someone.caller.userUuid, email: newEmail(), role: Role.USER }),
        ]);
        expect(changed.status).toBe('fulfilled');
        if (confirmed.status === 'rejected') {
          expect(confirmed.reason).toMatchObject({ code: 'INVALID_TOKEN' });
        }
      }),
    );
  });

  test('is verified when an ADMIN says so', async () => {
    const someone = await identity.createUser(admin);
    const email = newEmail();
    const { user: changed } = await identity.update(admin, {
      uuid: someone.caller.userUuid,
      email,
      emailVerified: true,
    });
    expect(changed).toMatchObject({ email, emailVerified: true });
    await identity.login(email);
    expect(identity.catcher.to(email)).toEqual([]);
  });

  test.each(['the user', 'an ADMIN'])('is reported to the current one when %s requests it', async (who) => {
    const someone = await identity.createUser(admin);
    const by = who === 'the user' ? someone : admin;
    const [first, second] = [newEmail(), newEmail()];
    for (const email of [first, second]) {
      await identity.update(by, { uuid: someone.caller.userUuid, email });
      await identity.linkToken(email);
    }
    await eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 0);
    const notices = identity.catcher.to(someone.email);
    expect(notices.map(({ subject }) => subject)).toEqual(Array(2).fill('Seu e-mail no Sabiá está para mudar'));
    // Whose mailbox it is that was never confirmed is not known.
    expect(notices.map(({ text }) => text).join()).not.toMatch(new RegExp(`${first}|${second}`));
    expect(identity.catcher.to(first)).toHaveLength(1);
  });
});

describe('a new password', () => {
  test('needs the current one, ends the other sessions and keeps this one', async () => {
    const someone = await identity.createUser(admin);
    const elsewhere = await identity.login(someone.email);
    const wrong = await refusal(
      identity.update(someone, { password: 'a new password', currentPassword: 'wrong password' }),
    );
    expect(codesOf(wrong)).toEqual({ currentPassword: 'mismatch' });
    await identity.update(someone, { password: 'a new password', currentPassword: password });
    expect((await identity.authenticate(someone.token)).state).toBe(TokenState.LIVE);
    expect((await identity.authenticate(elsewhere.token)).state).toBe(TokenState.UNKNOWN);
    expect(await refusal(identity.login(someone.email))).toMatchObject({ code: 'LOGIN_FAILED' });
    await identity.login(someone.email, 'a new password');
  });

  test('has a route of its own, where both are required', async () => {
    const someone = await identity.createUser(admin);
    const change = (currentPassword?: string, next?: string) =>
      identity.client.changePassword({ currentPassword, password: next }, identity.as(someone));
    expect(codesOf(await refusal(change()))).toEqual({ password: 'presence', currentPassword: 'presence' });
    expect(codesOf(await refusal(change('wrong password', 'a new password')))).toEqual({ currentPassword: 'mismatch' });
    await change(password, 'a new password');
    expect((await identity.authenticate(someone.token)).state).toBe(TokenState.LIVE);
    await identity.login(someone.email, 'a new password');
  });

  test('guessing at the current one is throttled like a login', async () => {
    const someone = await identity.createUser(admin);
    const guesses = Array.from({ length: 20 }, () =>
      refusal(identity.update(someone, { password: 'a new password', currentPassword: 'guess' })),
    );
    const codes = (await Promise.all(guesses)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'VALIDATION_ERROR')).toHaveLength(10);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(10);
  });

  test('an ADMIN sets it for another, whose sessions all end', async () => {
    const someone = await identity.createUser(admin);
    await identity.update(admin, { uuid: someone.caller.userUuid, password: 'set by an admin' });
    expect((await identity.authenticate(someone.token)).state).toBe(TokenState.UNKNOWN);
    await identity.login(someone.email, 'set by an admin');
    expect((await identity.authenticate(admin.token)).state).toBe(TokenState.LIVE);
  });
});

describe('the last ADMIN', () => {
  test('can be neither demoted nor deleted', async () => {
    const alone = await identity.createAccount();
    const colleague = await identity.createUser(alone);
    expect(await refusal(identity.update(alone, { role: Role.USER }))).toMatchObject({ code: 'LAST_ADMIN' });
    expect(await refusal(remove(alone, alone.caller.userUuid))).toMatchObject({ code: 'LAST_ADMIN' });
    await identity.update(alone, { uuid: colleague.caller.userUuid, role: Role.ADMIN });
    await identity.update(alone, { role: Role.USER });
    expect((await identity.authenticate(alone.token)).caller).toMatchObject({ role: Role.USER });
  });

  test('of ten who all leave at once, one stays', async () => {
    const first = await identity.createAccount();
    const others = await Promise.all(Array.from({ length: 9 }, () => identity.createUser(first, 'ADMIN')));
    const all = [first, ...others];
    const results = await Promise.allSettled(
      all.map((person, index) =>
        index % 2 === 0 ? identity.update(person, { role: Role.USER }) : remove(person, person.caller.userUuid),
      ),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(['LAST_ADMIN']);
    const [row] = await identity.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM users WHERE account_id = $1 AND role = 'ADMIN'`,
      [first.caller.accountId],
    );
    expect(row!.count).toBe(1);
  });
});

describe('deleting', () => {
  test('ADMIN only; then the user is unknown and the e-mail free', async () => {
    const someone = await identity.createUser(admin);
    expect(await refusal(remove(user, someone.caller.userUuid))).toMatchObject({ code: 'ACCESS_DENIED' });
    await remove(admin, someone.caller.userUuid);
    expect(await refusal(remove(admin, someone.caller.userUuid))).toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await create(admin, { email: someone.email });
  });
});

test("another account's users are not found, whatever is tried", async () => {
  for (const name of [user.caller.userUuid, String(user.caller.userId)]) {
    for (const call of [
      () => get(stranger, name),
      () => remove(stranger, name),
      () => identity.update(stranger, { uuid: name, name: 'x' }),
      () => identity.update(stranger, { uuid: name, role: Role.ADMIN, password: 'a new password' }),
    ]) {
      expect(await refusal(call())).toMatchObject({ code: 'MODEL_NOT_FOUND' });
    }
  }
  expect(await list(stranger)).toHaveLength(1);
});

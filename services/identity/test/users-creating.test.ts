import { createHash } from 'node:crypto';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { CreateUserRequest } from '@sabia/protos/sabia/identity/v1/messages';
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
const remove = (by: Person, uuid: string) => identity.client.deleteUser({ uuid }, identity.as(by));
const list = async (by: Person, filter?: object | string) =>
  (
    await identity.client.listUsers(
      { filter: typeof filter === 'object' ? JSON.stringify(filter) : filter },
      identity.as(by),
    )
  ).users;

describe('creating', () => {
  test('an ADMIN creates a user who logs in once the address is confirmed', async () => {
    const email = newEmail();
    const { user: created } = await create(admin, {
      email: email.toUpperCase(),
      phone: '(11) 98888-7777',
      role: Role.USER,
    });
    expect(created).toMatchObject({
      name: 'Bruno',
      email,
      phone: '(11) 98888-7777',
      role: Role.USER,
      emailVerified: false,
    });
    expect(created!.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await refusal(identity.login(email))).toMatchObject({ code: 'LOGIN_FAILED_EMAIL_NOT_VERIFIED' });
    await identity.client.confirmEmail({ token: await identity.linkToken(email), password });
    const { caller } = await identity.login(email);
    expect(caller).toMatchObject({ accountId: admin.caller.accountId, role: Role.USER, userId: created!.id });
  });

  test('an ADMIN may set the address as verified', async () => {
    const { user: created } = await create(admin, { emailVerified: true, role: Role.ADMIN });
    expect(created).toMatchObject({ emailVerified: true, role: Role.ADMIN, phone: undefined });
    await identity.login(created!.email);
    expect(identity.catcher.to(created!.email)).toEqual([]);
  });

  test('a USER may not', async () => {
    expect(await refusal(create(user, {}))).toMatchObject({ code: 'ACCESS_DENIED' });
  });

  test('all violations are reported at once', async () => {
    const error = await refusal(
      create(admin, { name: '', email: 'x', password: '1234567', phone: '1', role: Role.UNSPECIFIED }),
    );
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', context: 'user' });
    expect(codesOf(error)).toEqual({
      name: 'presence',
      email: 'format',
      password: 'length',
      phone: 'format',
      role: 'inclusion',
    });
  });

  test('an e-mail is unique over all accounts, also when a hundred come at once', async () => {
    const taken = await refusal(create(admin, { email: stranger.email.toUpperCase() }));
    expect(codesOf(taken)).toEqual({ email: 'uniqueness' });
    expect(taken.violations[0]!.message).toMatch(/already exists$/);
    const email = newEmail();
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, () => create(admin, { email, emailVerified: true })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(codesOf(result.reason as Awaited<ReturnType<typeof refusal>>)).toEqual({ email: 'uniqueness' });
      }
    }
  });
});

describe('creating with an idempotency key', () => {
  const createOnce = async (by: Person, idempotencyKey: string, request: Partial<CreateUserRequest>) => {
    let replayed = false;
    const { user: created } = await identity.client.createUser(
      CreateUserRequest.fromPartial({ name: 'Bruno', password, ...request }),
      { scope: { ...identity.as(by).scope, idempotencyKey }, onReplayed: () => (replayed = true) },
    );
    return { created, replayed };
  };

  test('makes one user, and answers every repetition alike, whatever became of it', async () => {
    const email = newEmail();
    const first = await createOnce(admin, 'a', { email });
    expect(first.replayed).toBe(false);
    await identity.update(admin, { uuid: first.created!.uuid, name: 'Renamed', emailVerified: true });
    expect(await createOnce(admin, 'a', { email })).toEqual({ ...first, replayed: true });
    await remove(admin, first.created!.uuid);
    expect(await createOnce(admin, 'a', { email })).toEqual({ ...first, replayed: true });
    expect(await list(admin, { where: { email } })).toEqual([]);
  });

  test('also when twenty come at once', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createOnce(admin, 'b', { email })));
    expect(new Set(answers.map(({ created }) => created!.uuid)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test('is no other user’s, no other request’s, and free again after a day or a refusal', async () => {
    const [one, other] = [newEmail(), newEmail()];
    const refused = await refusal(createOnce(admin, 'c', { email: stranger.email }));
    expect(codesOf(refused)).toEqual({ email: 'uniqueness' });
    const { created } = await createOnce(admin, 'c', { email: one });
    expect(await refusal(createOnce(admin, 'c', { email: other }))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const another = await identity.createAccount();
    expect((await createOnce(another, 'c', { email: other })).created!.uuid).not.toBe(created!.uuid);
    identity.clock.offsetMs = 24 * 60 * 60 * 1000 + 60_000;
    try {
      const later = await createOnce(admin, 'c', { email: newEmail(), emailVerified: true });
      expect(later).toMatchObject({ replayed: false });
    } finally {
      identity.clock.offsetMs = 0;
    }
  });

  test('leaves no quick hash of the password', async () => {
    const email = newEmail();
    const request = CreateUserRequest.fromPartial({ name: 'Bruno', email, password });
    await createOnce(admin, 'd', { email });
    const rows = await identity.database.query<{ fingerprint: Buffer }>('SELECT fingerprint FROM idempotency_keys');
    const quick = createHash('sha256').update(CreateUserRequest.encode(request).finish()).digest('hex');
    expect(rows.map(({ fingerprint }) => fingerprint.toString('hex'))).not.toContain(quick);
  });
});

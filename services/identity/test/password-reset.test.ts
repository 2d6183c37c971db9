import { PasswordLinkPurpose, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { codesOf, newEmail, password, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

let identity: Identity;
let admin: Person;

beforeAll(async () => {
  identity = await startIdentity();
  admin = await identity.createAccount();
});
afterAll(() => identity.stop());

const newPassword = 'a brand new password';
const request = (email: string | undefined) => identity.client.requestPasswordReset({ email });
const reset = (token: string, withPassword = newPassword) =>
  identity.client.resetPassword({ token, password: withPassword });

test('a mail, a code, a new password; every session ends', async () => {
  const person = await identity.createUser(admin);
  await expect(request(person.email.toUpperCase())).resolves.toMatchObject({ status: 202 });
  const token = await identity.linkToken(person.email);
  expect(identity.catcher.to(person.email)[0]!.text).toContain(`/api/v1/users/reset-password?token=${token}`);
  await reset(token);
  expect((await identity.authenticate(person.token)).state).toBe(TokenState.UNKNOWN);
  expect(await refusal(identity.login(person.email, password))).toMatchObject({ code: 'LOGIN_FAILED' });
  await identity.login(person.email, newPassword);
});

test('a link is described without being used, and says what became of it', async () => {
  const person = await identity.createUser(admin);
  await request(person.email);
  const token = await identity.linkToken(person.email);
  const look = (purpose: PasswordLinkPurpose, of = token) => identity.client.getPasswordLink({ token: of, purpose });
  const resetting = PasswordLinkPurpose.RESET_PASSWORD;
  await expect(look(resetting)).resolves.toEqual({ email: person.email });
  expect(await refusal(look(PasswordLinkPurpose.UNDO_EMAIL_CHANGE))).toMatchObject({ code: 'INVALID_TOKEN' });
  expect(await refusal(look(resetting, 'x'))).toMatchObject({ code: 'INVALID_TOKEN' });
  identity.clock.offsetMs += 61 * 60 * 1000;
  try {
    expect(await refusal(look(resetting))).toMatchObject({ code: 'TOKEN_EXPIRED' });
  } finally {
    identity.clock.offsetMs = 0;
  }
  await reset(token);
  expect(await refusal(look(resetting))).toMatchObject({ code: 'TOKEN_USED' });
});

test('a user who is locked out by failures may log in after a reset', async () => {
  const person = await identity.createUser(admin);
  await Promise.allSettled(Array.from({ length: 10 }, () => identity.login(person.email, 'wrong password')));
  expect(await refusal(identity.login(person.email))).toMatchObject({ code: 'RATE_LIMITED' });
  await request(person.email);
  await reset(await identity.linkToken(person.email));
  await identity.login(person.email, newPassword);
});

test('a code works once, also when used many times at once', async () => {
  const person = await identity.createUser(admin);
  await request(person.email);
  const token = await identity.linkToken(person.email);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => reset(token)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(codesOf(await refusal(reset(token)))).toEqual({ token: 'invalid' });
});

test('a code expires after an hour, dies with the address and with another reset', async () => {
  const person = await identity.createUser(admin);
  await request(person.email);
  const first = await identity.linkToken(person.email);
  identity.clock.offsetMs = 3_601_000;
  try {
    expect(codesOf(await refusal(reset(first)))).toEqual({ token: 'invalid' });
  } finally {
    identity.clock.offsetMs = 0;
  }
  await request(person.email);
  await reset(await identity.linkToken(person.email, 2));
  expect(codesOf(await refusal(reset(first)))).toEqual({ token: 'invalid' });

  const mover = await identity.createUser(admin);
  await request(mover.email);
  const token = await identity.linkToken(mover.email);
  await identity.update(admin, { uuid: mover.caller.userUuid, email: newEmail(), emailVerified: true });
  expect(codesOf(await refusal(reset(token)))).toEqual({ token: 'invalid' });
});

test('the response is the same for every address; only existing users get a mail', async () => {
  const known = await request(admin.email);
  for (const email of [newEmail(), 'nonsense', 'a\0b@c.de']) {
    await expect(request(email)).resolves.toEqual(known);
  }
  expect(codesOf(await refusal(request(undefined)))).toEqual({ email: 'presence' });
  await eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 0);
});

test('an unconfirmed address gets no link', async () => {
  const email = newEmail();
  const person = await identity.createUser(admin);
  await identity.update(person, { email });
  await identity.linkToken(email);
  await request(email);
  await eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 0);
  expect(identity.catcher.to(email)).toHaveLength(1);
  await identity.client.confirmEmail({ token: await identity.linkToken(email), password });
  await request(email);
  await reset(await identity.linkToken(email, 2));
});

test('all violations are reported at once, a link of another purpose is refused', async () => {
  expect(codesOf(await refusal(identity.client.resetPassword({ token: undefined, password: 'short' })))).toEqual({
    token: 'presence',
    password: 'length',
  });
  const email = newEmail();
  await identity.client.createUser(
    { name: 'Someone', email, password, role: 2, phone: undefined, emailVerified: undefined },
    identity.as(admin),
  );
  expect(codesOf(await refusal(reset(await identity.linkToken(email))))).toEqual({ token: 'invalid' });
  for (const token of ['x', '\0', 'x'.repeat(5000)]) {
    expect(codesOf(await refusal(reset(token)))).toEqual({ token: 'invalid' });
  }
});

import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { CreateUserRequest, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { codesOf, newEmail, newSignUp, password, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

let identity: Identity;
let admin: Person;

beforeAll(async () => {
  identity = await startIdentity();
  admin = await identity.createAccount();
});
afterAll(() => identity.stop());

const day = 24 * 60 * 60 * 1000;
const ownPassword = 'chosen by the reader';
const confirm = (token: string, withPassword = password) =>
  identity.client.confirmEmail({ token, password: withPassword });
const undo = (token: string, withPassword = ownPassword) =>
  identity.client.undoEmailChange({ token, password: withPassword });
const me = async (person: Person) => (await identity.client.getMe({}, identity.as(person))).user!;
const invite = (by: Person, email: string, emailVerified = false) =>
  identity.client.createUser(
    CreateUserRequest.fromPartial({ name: 'Bruno', email, password, emailVerified }),
    identity.as(by),
  );
const allMailsSent = () => eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 0);
const accountsOf = (email: string) =>
  identity.database.query('SELECT a.id FROM accounts a JOIN users u ON u.account_id = a.id WHERE u.email = $1', [
    email,
  ]);

describe('an address that was not confirmed grants nothing', () => {
  test('a changed one is neither the caller’s nor the login’s until it is confirmed', async () => {
    const someone = await identity.createUser(admin);
    const colleague = newEmail();
    const { user: changed } = await identity.update(someone, { email: colleague });
    expect(changed).toMatchObject({ email: someone.email, emailVerified: true, pendingEmail: colleague });
    expect((await identity.authenticate(someone.token)).caller).toMatchObject({ email: someone.email });
    expect(await refusal(identity.login(colleague))).toMatchObject({ code: 'LOGIN_FAILED' });
    await identity.login(someone.email);

    await confirm(await identity.linkToken(colleague));
    expect((await identity.authenticate(someone.token)).caller).toMatchObject({ email: colleague });
    expect(await me(someone)).toMatchObject({ email: colleague, emailVerified: true, pendingEmail: undefined });
    expect(await refusal(identity.login(someone.email))).toMatchObject({ code: 'LOGIN_FAILED' });
    await identity.login(colleague);
  });

  test('the reader of the mail to a changed address must know the password of the user, too', async () => {
    const someone = await identity.createUser(admin);
    const colleague = newEmail();
    await identity.update(someone, { email: colleague });
    const token = await identity.linkToken(colleague);
    expect(codesOf(await refusal(confirm(token, '')))).toEqual({ password: 'presence' });
    expect(codesOf(await refusal(confirm(token, ownPassword)))).toEqual({ password: 'mismatch' });
    expect(await me(someone)).toMatchObject({ email: someone.email, pendingEmail: colleague });
  });

  test('a user whose address an ADMIN sets as unverified has none', async () => {
    const someone = await identity.createUser(admin);
    await identity.update(admin, { uuid: someone.caller.userUuid, emailVerified: false });
    expect(await identity.authenticate(someone.token)).toMatchObject({ state: TokenState.LIVE, caller: { email: '' } });
  });

  test('a pending address takes no place from others, and is refused once it is another’s', async () => {
    const someone = await identity.createUser(admin);
    const wanted = newEmail();
    await identity.update(someone, { email: wanted });
    const token = await identity.linkToken(wanted);
    const request = newSignUp({ email: wanted });
    await identity.client.signUp(request);
    await confirm(await identity.linkToken(wanted, 2));
    await identity.login(wanted);
    expect(codesOf(await refusal(confirm(token)))).toEqual({ email: 'uniqueness' });
    expect(await me(someone)).toMatchObject({ email: someone.email });
    expect(codesOf(await refusal(identity.update(someone, { email: wanted.toUpperCase() })))).toEqual({
      email: 'uniqueness',
    });
  });

  test('a user that an ADMIN created elsewhere blocks neither a sign-up nor another ADMIN', async () => {
    const stranger = await identity.createAccount();
    const email = newEmail();
    await invite(admin, email);
    expect(codesOf(await refusal(invite(admin, email)))).toEqual({ email: 'uniqueness' });
    await invite(stranger, email);
    const invitation = await identity.linkToken(email, 2);
    await identity.client.signUp(newSignUp({ email }));
    await confirm(await identity.linkToken(email, 3), ownPassword);
    const { caller } = await identity.login(email, ownPassword);
    expect(caller).toMatchObject({ role: Role.ADMIN });
    expect([admin.caller.accountId, stranger.caller.accountId]).not.toContain(caller.accountId);
    expect(codesOf(await refusal(confirm(invitation)))).toEqual({ email: 'uniqueness' });
  });
});

describe('following a link activates no password that its reader did not choose', () => {
  test('of a sign-up with another person’s address', async () => {
    const request = newSignUp({ password: 'chosen by the attacker' });
    const email = request.email!;
    await identity.client.signUp(request);
    const token = await identity.linkToken(email);
    await expect(identity.client.getConfirmation({ token })).resolves.toMatchObject({ email, changesEmail: false });
    expect(codesOf(await refusal(confirm(token, '')))).toEqual({ password: 'presence' });
    expect(codesOf(await refusal(confirm(token, 'short')))).toEqual({ password: 'length' });
    // Neither a look at the page nor a refused try has activated anything.
    expect(await refusal(identity.login(email, request.password))).toMatchObject({
      code: 'LOGIN_FAILED_EMAIL_NOT_VERIFIED',
    });
    await confirm(token, ownPassword);
    expect(await refusal(identity.login(email, request.password))).toMatchObject({ code: 'LOGIN_FAILED' });
    await identity.login(email, ownPassword);
  });

  test('of a user that an ADMIN created', async () => {
    const email = newEmail();
    await invite(admin, email);
    await confirm(await identity.linkToken(email), ownPassword);
    expect(await refusal(identity.login(email))).toMatchObject({ code: 'LOGIN_FAILED' });
    await identity.login(email, ownPassword);
  });
});

describe('an unconfirmed sign-up yields', () => {
  test('its place in the mailbox: sign-ups of strangers do not suppress the mail of the owner', async () => {
    const email = newEmail();
    const strangers = Array.from({ length: 6 }, () => newSignUp({ email }));
    for (const stranger of strangers) await identity.client.signUp(stranger);
    await identity.client.signUp(newSignUp({ email }));
    await allMailsSent();
    expect(identity.catcher.to(email)).toHaveLength(7);
  });

  test('to a later one of the same address, with the same domain or another', async () => {
    const first = newSignUp({ password: 'chosen by the attacker' });
    const email = first.email!;
    await identity.client.signUp(first);
    const firstLink = await identity.linkToken(email);
    await identity.client.signUp({ ...first, password, organization_name: 'Mine' });
    await identity.client.signUp(newSignUp({ email }));
    const third = await identity.linkToken(email, 3);
    await expect(accountsOf(email)).resolves.toHaveLength(2);
    await confirm(third);
    await identity.login(email);
    await expect(accountsOf(email)).resolves.toHaveLength(1);
    expect(await refusal(confirm(firstLink))).toMatchObject({ code: 'INVALID_TOKEN' });
    // What the others had reserved is free.
    await identity.client.signUp(newSignUp({ domain: first.domain }));
    expect(codesOf(await refusal(identity.client.signUp(newSignUp({ email }))))).toEqual({ email: 'uniqueness' });
  });

  test('its domain also when the same sign-up is made again and again: the first one counts', async () => {
    const first = newSignUp();
    await identity.client.signUp(first);
    try {
      identity.clock.offsetMs = 7 * day - 60_000;
      await identity.client.signUp(first);
      identity.clock.offsetMs = 7 * day + 60_000;
      await identity.client.signUp(newSignUp({ domain: first.domain }));
      await expect(accountsOf(first.email!)).resolves.toHaveLength(0);
    } finally {
      identity.clock.offsetMs = 0;
    }
  });

  test('its domain to every account after seven days, however often its mail was asked for', async () => {
    const first = newSignUp();
    await identity.client.signUp(first);
    const taker = () => newSignUp({ domain: first.domain });
    try {
      identity.clock.offsetMs = 7 * day - 60_000;
      await identity.client.resendConfirmation({ email: first.email });
      const link = await identity.linkToken(first.email!, 2);
      expect(codesOf(await refusal(identity.client.signUp(taker())))).toEqual({ domain: 'uniqueness' });
      identity.clock.offsetMs = 7 * day + 60_000;
      await identity.client.signUp(taker());
      expect(await refusal(confirm(link))).toMatchObject({ code: 'INVALID_TOKEN' });
      await expect(accountsOf(first.email!)).resolves.toHaveLength(0);
    } finally {
      identity.clock.offsetMs = 0;
    }
  });
});

describe('a changed address is undone from the one before', () => {
  const undoToken = (email: string, count = 1) => identity.linkToken(email, count);

  test('before it was confirmed', async () => {
    const someone = await identity.createUser(admin);
    const thief = newEmail();
    await identity.update(someone, { email: thief });
    const token = await undoToken(someone.email);
    const [notice] = identity.catcher.to(someone.email);
    expect(notice!.text).toContain(`/api/v1/users/undo-email-change?token=${token}`);
    // The owner of the mailbox is not known yet.
    expect(notice!.text).not.toContain(thief);
    await undo(token);
    expect((await identity.authenticate(someone.token)).state).toBe(TokenState.UNKNOWN);
    expect(await refusal(identity.login(someone.email))).toMatchObject({ code: 'LOGIN_FAILED' });
    const again = await identity.login(someone.email, ownPassword);
    expect(await me(again)).toMatchObject({ email: someone.email, pendingEmail: undefined });
    expect(await refusal(confirm(await identity.linkToken(thief)))).toMatchObject({ code: 'INVALID_TOKEN' });
    expect(codesOf(await refusal(undo(token)))).toEqual({ token: 'invalid' });
  });

  test('also after it was confirmed, and moved on: the thief’s own links are void then', async () => {
    const someone = await identity.createUser(admin);
    const [first, second] = [newEmail(), newEmail()];
    for (const email of [first, second]) {
      await identity.update(someone, { email });
      await confirm(await identity.linkToken(email));
    }
    const token = await undoToken(someone.email, 2);
    const thiefs = await undoToken(first, 3);
    // No other user has taken the address meanwhile, not even through an ADMIN.
    expect(codesOf(await refusal(invite(admin, someone.email, true)))).toEqual({ email: 'uniqueness' });
    await undo(token);
    const again = await identity.login(someone.email, ownPassword);
    expect(again.caller.userId).toBe(someone.caller.userId);
    expect(await refusal(identity.login(second))).toMatchObject({ code: 'LOGIN_FAILED' });
    expect(codesOf(await refusal(undo(thiefs)))).toEqual({ token: 'invalid' });
    await identity.client.signUp(newSignUp({ email: second }));
  });

  test('for seven days; then the address is free', async () => {
    const someone = await identity.createUser(admin);
    const email = newEmail();
    await identity.update(someone, { email });
    await confirm(await identity.linkToken(email));
    const token = await undoToken(someone.email, 2);
    identity.clock.offsetMs = 7 * day + 60_000;
    try {
      expect(codesOf(await refusal(undo(token)))).toEqual({ token: 'invalid' });
      await invite(admin, someone.email, true);
    } finally {
      identity.clock.offsetMs = 0;
    }
  });

  test('set by an ADMIN: immediately; undone from the ADMIN’s own old address, not from that of another user', async () => {
    const chief = await identity.createUser(admin, 'ADMIN');
    const [mine, theirs] = [newEmail(), newEmail()];
    await identity.update(chief, { email: mine, emailVerified: true });
    await identity.login(mine);
    await undo(await undoToken(chief.email));
    await identity.login(chief.email, ownPassword);

    const someone = await identity.createUser(admin);
    const { user } = await identity.update(admin, {
      uuid: someone.caller.userUuid,
      email: theirs,
      emailVerified: true,
    });
    expect(user).toMatchObject({ email: theirs, emailVerified: true, pendingEmail: undefined });
    const notice = await eventually(() => identity.catcher.to(someone.email)[0]);
    expect(notice.text).not.toMatch(/token=/);
    await allMailsSent();
    expect(identity.catcher.to(theirs)).toEqual([]);
  });

  const byAdmin = {
    'another address': () => ({ email: newEmail(), emailVerified: true }),
    'another password': () => ({ password: 'chosen by the ADMIN' }),
    'no confirmed address': () => ({ emailVerified: false }),
  };
  test.each(Object.entries(byAdmin))('no longer, once an ADMIN has given the user %s', async (_, change) => {
    const someone = await identity.createUser(admin);
    const [first, second] = [newEmail(), newEmail()];
    await identity.update(someone, { email: first });
    await confirm(await identity.linkToken(first));
    await identity.update(someone, { email: second });
    const links = [await undoToken(someone.email, 1), await undoToken(someone.email, 2), await undoToken(first, 2)];
    await identity.update(admin, { uuid: someone.caller.userUuid, ...change() });
    for (const link of links) {
      expect(codesOf(await refusal(undo(link)))).toEqual({ token: 'invalid' });
    }
    // The address that was kept for the user is free.
    await invite(admin, someone.email, true);
  });

  test('nor by a mail that still waited to be sent then', async () => {
    const someone = await identity.createUser(admin);
    await identity.database.query(
      `INSERT INTO mails (template, address, user_id, last_error, next_attempt_at, created_at)
       VALUES ('email-change-requested', $1, $2, 'SMTP is away', now() + interval '1 hour', now())`,
      [someone.email, someone.caller.userId],
    );
    await identity.update(admin, { uuid: someone.caller.userUuid, email: newEmail(), emailVerified: true });
    await allMailsSent();
    const texts = identity.catcher.to(someone.email).map(({ text }) => text);
    expect(texts).toEqual([expect.not.stringMatching(/token=/)]);
  });

  test('its form wants a good password', async () => {
    expect(codesOf(await refusal(undo('x', 'short')))).toEqual({ password: 'length' });
    expect(codesOf(await refusal(undo('x')))).toEqual({ token: 'invalid' });
  });
});

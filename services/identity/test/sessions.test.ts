import { GetSessionResponse, TokenKind, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { hashToken } from '../src/domain/access-token';
import { password, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

let identity: Identity;
let admin: Person;

beforeAll(async () => {
  identity = await startIdentity();
  admin = await identity.createAccount();
});
afterEach(() => (identity.clock.offsetMs = 0));
afterAll(() => identity.stop());

const create = (email: string, withPassword = password) =>
  identity.client.createSession({ email, password: withPassword });

/** A session as the gateway holds it. */
async function begin(email: string): Promise<Person> {
  const { token } = await create(email);
  return { email, token, caller: (await identity.authenticate(token)).caller! };
}
const stateOf = async ({ token }: Person) => (await identity.authenticate(token)).state;

test('a session has a token of its own kind and tells the user and the account', async () => {
  const { token, ttl, session } = await create(admin.email);
  expect(token).toMatch(/^[\w-]{64}$/);
  expect(ttl).toBe(2_592_000);
  expect(session).toMatchObject({
    user: { uuid: admin.caller.userUuid, id: admin.caller.userId, email: admin.email },
    account: { uuid: admin.caller.accountUuid, domain: admin.caller.domain, timeZone: 'America/Sao_Paulo' },
  });
  const found = await identity.authenticate(token);
  expect(found).toMatchObject({ state: TokenState.LIVE, kind: TokenKind.SESSION });
  expect(found.caller).toEqual({ ...admin.caller, tokenHash: hashToken(token) });
  expect((await identity.authenticate(admin.token)).kind).toBe(TokenKind.API);
  expect(await identity.client.getSession({}, identity.as({ caller: found.caller! }))).toEqual(
    GetSessionResponse.fromPartial({ session }),
  );
});

test('a failed session counts and reads as a failed login', async () => {
  const { email } = await identity.createUser(admin);
  expect(await refusal(identity.client.createSession({ email: ' ', password }))).toMatchObject({
    code: 'USERNAME_EMAIL_REQUIRED',
  });
  for (let failure = 0; failure < 10; failure += 1) {
    const attempt =
      failure % 2 === 0
        ? create(email, 'wrong password')
        : identity.client.login({ email, password: 'wrong', ttl: undefined });
    expect(await refusal(attempt)).toMatchObject({ code: 'LOGIN_FAILED' });
  }
  const blocked = await refusal(create(email));
  expect(blocked).toMatchObject({ code: (await refusal(identity.login(email))).code });
  expect(blocked.retryAfterSeconds).toBeGreaterThan(0);
});

test('a session is no API token: it is neither listed nor revoked by its prefix', async () => {
  const person = await identity.createUser(admin);
  const session = await begin(person.email);
  const { tokens } = await identity.client.listAccessTokens({}, identity.as(session));
  expect(tokens.map(({ prefix }) => prefix)).toEqual([person.token.slice(0, 8)]);
  const prefix = session.token.slice(0, 8);
  expect(await refusal(identity.client.revokeAccessToken({ prefix }, identity.as(person)))).toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
  expect(await stateOf(session)).toBe(TokenState.LIVE);
});

test('it ends after twelve hours without use, and after thirty days', async () => {
  const person = await identity.createUser(admin);
  const [used, unused] = [await begin(person.email), (await create(person.email)).token];
  identity.clock.offsetMs = 11 * hourMs;
  expect(await stateOf(used)).toBe(TokenState.LIVE);
  await identity.database.query('UPDATE access_tokens SET last_used_at = $2 WHERE token_hash = $1', [
    hashToken(used.token),
    new Date(Date.now() + 11 * hourMs),
  ]);
  identity.clock.offsetMs = 12 * hourMs + 60_000;
  expect([await stateOf(used), (await identity.authenticate(unused)).state]).toEqual([
    TokenState.LIVE,
    TokenState.EXPIRED,
  ]);
  await identity.database.query('UPDATE access_tokens SET last_used_at = expires_at WHERE user_id = $1', [
    person.caller.userId,
  ]);
  identity.clock.offsetMs = 30 * dayMs + 60_000;
  expect(await stateOf(used)).toBe(TokenState.EXPIRED);
});

test('logout, another password, a reset and the end of the user end it', async () => {
  const person = await identity.createUser(admin);
  const [first, second, third] = [await begin(person.email), await begin(person.email), await begin(person.email)];
  await identity.client.logout({}, identity.as(first));
  expect([await stateOf(first), await stateOf(second)]).toEqual([TokenState.UNKNOWN, TokenState.LIVE]);

  const newPassword = 'another horse battery';
  await identity.update(second, { password: newPassword, currentPassword: password });
  expect([await stateOf(second), await stateOf(third)]).toEqual([TokenState.LIVE, TokenState.UNKNOWN]);

  await identity.client.requestPasswordReset({ email: person.email });
  await identity.client.resetPassword({ token: await identity.linkToken(person.email, 1), password });
  expect(await stateOf(second)).toBe(TokenState.UNKNOWN);

  const last = await begin(person.email);
  await identity.client.deleteUser({ uuid: person.caller.userUuid }, identity.as(admin));
  expect(await stateOf(last)).toBe(TokenState.UNKNOWN);
});

import { randomBytes } from 'node:crypto';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { hashToken } from '../src/domain/access-token';
import { codesOf, password, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

let identity: Identity;
let person: Person;
let nats: NatsConnection;
const broadcasts: TokenRevoked[] = [];
const events: TokenRevoked[] = [];

beforeAll(async () => {
  identity = await startIdentity();
  person = await identity.createAccount();
  nats = await connect({ servers: testServers().natsUrl });
  nats.subscribe('sabia-broadcast.identity.token.revoked', {
    callback: (_error, message) => broadcasts.push(TokenRevoked.decode(message.data)),
  });
  nats.subscribe('sabia.identity.token.revoked', {
    callback: (_error, message) => events.push(TokenRevoked.decode(Envelope.decode(message.data).payload)),
  });
  await nats.flush();
});
afterAll(async () => {
  await nats.close();
  await identity.stop();
});

const mint = async (ttl?: number) => (await identity.client.createAccessToken({ ttl }, identity.as(person))).id;
const stateOf = async (token: string) => (await identity.authenticate(token)).state;
const names = (list: TokenRevoked[], token: string) =>
  list.filter(({ tokenHash }) => tokenHash.equals(hashToken(token)));

test('tokens are created with a ttl and known by their hash', async () => {
  const answer = await identity.client.createAccessToken({ ttl: 60 }, identity.as(person));
  expect(answer).toEqual({
    id: expect.stringMatching(/^[\w-]{64}$/) as string,
    ttl: 60,
    created: expect.any(Date) as Date,
    userId: person.caller.userId,
  });
  const { state, caller, expiresAt } = await identity.authenticate(answer.id);
  expect(state).toBe(TokenState.LIVE);
  expect(caller).toEqual({ ...person.caller, tokenHash: hashToken(answer.id) });
  expect(expiresAt!.getTime()).toBe(answer.created!.getTime() + 60_000);
  expect(codesOf(await refusal(identity.client.createAccessToken({ ttl: -2 }, identity.as(person))))).toEqual({
    ttl: 'range',
  });
});

test('a token may have a name, and the list tells which one asks', async () => {
  const named = await identity.client.createAccessToken({ name: ' CRM, produção ' }, identity.as(person));
  expect(named.name).toBe('CRM, produção');
  const unnamed = await mint();
  const asking = { ...person, caller: { ...person.caller, tokenHash: hashToken(named.id) } };
  const { tokens } = await identity.client.listAccessTokens({}, identity.as(asking));
  const listed = (token: string) => tokens.find(({ prefix }) => token.startsWith(prefix));
  expect(listed(named.id)).toMatchObject({ name: 'CRM, produção', current: true });
  expect(listed(unnamed)).toMatchObject({ name: undefined, current: undefined });
  const long = identity.client.createAccessToken({ name: 'x'.repeat(101) }, identity.as(person));
  expect(codesOf(await refusal(long))).toEqual({ name: 'length' });
});

test('an expired token is told from an unknown one', async () => {
  const [short, never] = [await mint(60), await mint(-1)];
  identity.clock.offsetMs = 61_000;
  try {
    expect(await stateOf(short)).toBe(TokenState.EXPIRED);
    expect(await stateOf(never)).toBe(TokenState.LIVE);
  } finally {
    identity.clock.offsetMs = 0;
  }
  for (const tokenHash of [randomBytes(32), Buffer.alloc(0), Buffer.alloc(5000)]) {
    await expect(identity.client.authenticate({ tokenHash })).resolves.toMatchObject({
      state: TokenState.UNKNOWN,
      caller: undefined,
    });
  }
});

test('logout revokes the token, broadcasts it to the gateways before the response, and publishes it afterwards', async () => {
  const leaving = await identity.login(person.email);
  await identity.client.logout({}, identity.as(leaving));
  expect(await stateOf(leaving.token)).toBe(TokenState.UNKNOWN);
  await eventually(() => names(broadcasts, leaving.token).length === 1);
  await eventually(() => names(events, leaving.token).length === 1);
  expect(await stateOf(person.token)).toBe(TokenState.LIVE);
  // Again: nothing to end, nothing to complain about.
  await identity.client.logout({}, identity.as(leaving));
});

test('the list shows prefixes, never tokens, and only the live ones of the caller', async () => {
  const other = await identity.createUser(person);
  const [kept, expired] = [await mint(-1), await mint(1)];
  identity.clock.offsetMs = 2_000;
  try {
    const { tokens } = await identity.client.listAccessTokens({}, identity.as(person));
    const prefixes = tokens.map(({ prefix }) => prefix);
    expect(prefixes).toContain(kept.slice(0, 8));
    expect(prefixes).toContain(person.token.slice(0, 8));
    expect(prefixes).not.toContain(expired.slice(0, 8));
    expect(prefixes).not.toContain(other.token.slice(0, 8));
    expect(tokens.find(({ prefix }) => kept.startsWith(prefix))).toMatchObject({
      ttl: -1,
      created: expect.any(Date) as Date,
    });
    expect(JSON.stringify(tokens)).not.toContain(kept.slice(0, 12));
  } finally {
    identity.clock.offsetMs = 0;
  }
});

test('a token is revoked by its prefix, one of another user is not found', async () => {
  const other = await identity.createUser(person);
  const token = await mint();
  await identity.client.revokeAccessToken({ prefix: token.slice(0, 8) }, identity.as(person));
  expect(await stateOf(token)).toBe(TokenState.UNKNOWN);
  await eventually(() => names(broadcasts, token).length === 1 && names(events, token).length === 1);
  for (const prefix of [token.slice(0, 8), other.token.slice(0, 8), '', 'x', "' OR 1=1", token]) {
    expect(await refusal(identity.client.revokeAccessToken({ prefix }, identity.as(person)))).toMatchObject({
      code: 'MODEL_NOT_FOUND',
      // A client that sends the whole token by mistake does not find it in its logs.
      message: `Unknown "accessToken" id "${prefix.slice(0, 8)}".`,
    });
  }
  expect(await stateOf(other.token)).toBe(TokenState.LIVE);
});

test('the last use is noted to the minute, after the answer', async () => {
  const token = await mint();
  const lastUsed = async () => {
    const { tokens } = await identity.client.listAccessTokens({}, identity.as(person));
    return tokens.find(({ prefix }) => token.startsWith(prefix))?.lastUsed;
  };
  expect(await lastUsed()).toBeUndefined();
  await stateOf(token);
  const first = await eventually(lastUsed);
  await stateOf(token);
  identity.clock.offsetMs = 61_000;
  try {
    await stateOf(token);
    const second = await eventually(async () => {
      const at = await lastUsed();
      return at !== undefined && at > first && at;
    });
    expect(second.getTime() - first.getTime()).toBeGreaterThanOrEqual(60_000);
  } finally {
    identity.clock.offsetMs = 0;
  }
});

test('tokens of a deleted user are unknown, and no new one can be made with them', async () => {
  const gone = await identity.createUser(person);
  await identity.client.deleteUser({ uuid: gone.caller.userUuid }, identity.as(person));
  expect(await stateOf(gone.token)).toBe(TokenState.UNKNOWN);
  await eventually(() =>
    broadcasts.some(({ userId, tokenHash }) => userId === gone.caller.userId && tokenHash.length === 0),
  );
  expect(await refusal(identity.client.createAccessToken({ ttl: undefined }, identity.as(gone)))).toMatchObject({
    code: 'AUTHORIZATION_REQUIRED',
  });
  expect(await refusal(identity.client.getMe({}, identity.as(gone)))).toMatchObject({ code: 'MODEL_NOT_FOUND' });
  expect(await refusal(identity.login(gone.email, password))).toMatchObject({ code: 'LOGIN_FAILED' });
});

test('a request without a caller is refused', async () => {
  const { client } = identity;
  const calls = [
    client.getMe({}),
    client.logout({}),
    client.getAccount({}),
    client.listUsers({ filter: undefined }),
    client.listAccessTokens({}),
    client.createAccessToken({ ttl: undefined }),
  ];
  for (const call of calls) {
    expect(await refusal(call)).toMatchObject({ code: 'AUTHORIZATION_REQUIRED' });
  }
});

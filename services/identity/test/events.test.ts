import { randomInt } from 'node:crypto';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { AccountCreated, UserUpdated } from '@sabia/protos/sabia/identity/v1/events';
import { TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { newEmail, newSignUp, password, startIdentity } from './identity';
import type { Identity } from './identity';

let identity: Identity;
let nats: NatsConnection;
const events: Envelope[] = [];

beforeAll(async () => {
  nats = await connect({ servers: testServers().natsUrl });
  nats.subscribe('sabia.identity.>', { callback: (_error, message) => events.push(Envelope.decode(message.data)) });
  await nats.flush();
  identity = await startIdentity();
  // Other test files publish, too: no account of theirs has a number like those of this one.
  await identity.database.query(`ALTER TABLE accounts ALTER COLUMN id RESTART WITH ${randomInt(1e9, 2e9)}`);
});
afterAll(async () => {
  await identity.stop();
  await nats.close();
});

const outbox = () => identity.database.query('SELECT id FROM outbox_waiting');

test('the events of an account and its users are published in order', async () => {
  const request = newSignUp();
  await identity.client.signUp(request);
  await identity.client.confirmEmail({ token: await identity.linkToken(request.email!), password });
  const admin = await identity.login(request.email!);
  await identity.client.updateAccount({ name: 'New name', email: undefined, phone: undefined }, identity.as(admin));
  const user = await identity.createUser(admin);
  await identity.update(admin, { uuid: user.caller.userUuid, name: 'New name' });
  await identity.client.deleteUser({ uuid: user.caller.userUuid }, identity.as(admin));
  await identity.client.logout({}, identity.as(admin));

  await eventually(async () => (await outbox()).length === 0);
  const mine = await eventually(() => {
    const published = events.filter(({ accountId }) => accountId === admin.caller.accountId);
    return published.length >= 10 && published;
  });
  expect(AccountCreated.decode(mine[0]!.payload)).toEqual({
    accountId: admin.caller.accountId,
    accountUuid: admin.caller.accountUuid,
    domain: request.domain,
    name: 'Padaria Central',
    email: request.email,
    phone: request.phone,
    timeZone: 'America/Sao_Paulo',
    ...{ areaCode: '11', recordingFormat: 'wav' },
  });
  expect(mine.map(({ type }) => type)).toEqual([
    'identity.account.created',
    'identity.user.created',
    'identity.account.activated',
    'identity.user.updated',
    'identity.account.updated',
    'identity.user.created',
    'identity.user.updated',
    'identity.token.revoked',
    'identity.user.deleted',
    'identity.token.revoked',
  ]);
  expect(UserUpdated.decode(mine[6]!.payload)).toMatchObject({ userUuid: user.caller.userUuid, email: user.email });
});

test('a new role and a new e-mail are published, although every token stays valid', async () => {
  const admin = await identity.createAccount();
  const user = await identity.createUser(admin);
  const email = newEmail();
  await identity.update(admin, { uuid: user.caller.userUuid, role: Role.ADMIN });
  await identity.update(admin, { uuid: user.caller.userUuid, email, emailVerified: true });
  const updates = await eventually(() => {
    const published = events.filter(
      ({ accountId, type }) => accountId === admin.caller.accountId && type === 'identity.user.updated',
    );
    const changes = published
      .map(({ payload }) => UserUpdated.decode(payload))
      .filter(({ userId }) => userId === user.caller.userId);
    return changes.length === 2 && changes;
  });
  expect(updates).toMatchObject([
    { role: Role.ADMIN, email: user.email },
    { role: Role.ADMIN, email },
  ]);
  expect((await identity.authenticate(user.token)).state).toBe(TokenState.LIVE);
});

test('with NATS away everything works, and the events wait', async () => {
  // Answers that end tokens wait for the gateways to forget; here that takes a twentieth of the time.
  const lonely = await startIdentity({ NATS_URL: 'nats://127.0.0.1:1' }, () => performance.now() * 20);
  try {
    const person = await lonely.createAccount();
    await lonely.client.logout({}, lonely.as(person));
    expect((await lonely.authenticate(person.token)).state).toBe(TokenState.UNKNOWN);
    const rows = await lonely.database.query<{ type: string }>('SELECT type FROM outbox ORDER BY position');
    expect(rows.map(({ type }) => type)).toEqual([
      'identity.account.created',
      'identity.user.created',
      'identity.account.activated',
      'identity.user.updated',
      'identity.token.revoked',
    ]);
  } finally {
    await lonely.stop();
  }
});

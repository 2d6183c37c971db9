import { randomUUID } from 'node:crypto';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { IntegrationDisabled } from '@sabia/protos/sabia/webhook/v1/events';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { eventually } from '@sabia/testkit/eventually';
import { createRunHome, sharedCache } from '@sabia/testkit/run-homes';
import type { RunHome } from '@sabia/testkit/run-homes';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { startIdentity } from './identity';
import type { Identity, Person } from './identity';

// A NATS of its own: the consumers of all identities that run share one name, and another one's would take the event.
let home: RunHome;
let servers: Servers;
let nats: NatsConnection;
let identity: Identity;

beforeAll(async () => {
  home = await createRunHome('disabled-webhooks');
  servers = await startServers({ home: home.path, cache: sharedCache, durable: false, only: ['nats'] });
  nats = await connect({ servers: servers.nats.url });
  await ensureStreams(nats);
  identity = await startIdentity({ NATS_URL: servers.nats.url });
});

afterAll(async () => {
  await identity?.stop();
  await nats?.close();
  await servers?.stop();
  home?.remove();
});

const gateway = 'crm <b>&';

async function disable(owner: Person, changes: Partial<IntegrationDisabled> = {}): Promise<void> {
  const { accountId, userId } = owner.caller;
  const reason = 'The receiver answered 410 Gone.';
  const payload = IntegrationDisabled.encode({ integrationId: 42, userId, gateway, reason, ...changes }).finish();
  const envelope = Envelope.fromPartial({
    id: randomUUID(),
    type: 'webhook.integration.disabled',
    version: 1,
    accountId,
    occurredAt: new Date(),
    payload: Buffer.from(payload),
  });
  const bytes = Envelope.encode(envelope).finish();
  // A relay that has not heard whether NATS took it sends it again.
  for (let time = 1; time <= 2; time += 1) {
    await nats.jetstream().publish('sabia.webhook.integration.disabled', bytes);
  }
}

const notices = (person: Person) =>
  identity.catcher.to(person.email).filter(({ subject }) => subject.includes('foi desativado'));

const noneWaits = () => eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 0);

test('the owner of a disabled webhook gets one mail that says which, why, and how to enable it again', async () => {
  const admin = await identity.createAccount();
  const user = await identity.createUser(admin);
  await disable(user);
  const [mail] = await eventually(() => notices(user).length > 0 && notices(user));
  expect(mail!.subject).toBe(`Seu webhook "${gateway}" foi desativado`);
  for (const words of [
    `"${gateway}" (número 42)`,
    'O motivo: o destino respondeu que não existe mais (410).',
    'http://gateway.test/console/webhooks',
  ]) {
    expect(mail!.text.replace(/\s+/g, ' ')).toContain(words);
  }
  expect(mail!.html).not.toContain('<b>&');
  await noneWaits();
  expect(notices(user)).toHaveLength(1);
  expect(notices(admin)).toHaveLength(0);
});

test('an ADMIN of the account is told when the user is gone or has no confirmed address', async () => {
  const admin = await identity.createAccount();
  const gone = await identity.createUser(admin);
  await identity.client.deleteUser({ uuid: gone.caller.userUuid }, identity.as(admin));
  await disable(gone);
  await eventually(() => notices(admin).length === 1);

  const unconfirmed = await identity.createUser(admin);
  await identity.update(admin, { uuid: unconfirmed.caller.userUuid, emailVerified: false });
  await disable(unconfirmed, { integrationId: 43, reason: 'Five days of nothing but failures.' });
  await eventually(() => notices(admin).length === 2);
  expect(notices(admin)[1]!.text).toContain('foram cinco dias só de falhas.');
  await noneWaits();
  expect(notices(unconfirmed)).toHaveLength(0);

  // A changed address counts once it is confirmed: until then the one before hears of everything.
  const moving = await identity.createUser(admin);
  await identity.update(moving, { email: `new-${moving.email}` });
  await disable(moving, { integrationId: 44 });
  await eventually(() => notices(moving).length === 1);
});

test('with SMTP away each of several waits, and none replaces another', async () => {
  const admin = await identity.createAccount();
  await identity.catcher.stop();
  try {
    await disable(admin, { integrationId: 1 });
    await eventually(async () => {
      const rows = await identity.database.query('SELECT id FROM mails WHERE last_error IS NOT NULL');
      return rows.length === 1;
    });
    await disable(admin, { integrationId: 2 });
    await eventually(async () => (await identity.database.query('SELECT id FROM mails')).length === 2);
  } finally {
    await identity.catcher.start();
  }
  const told = await eventually(() => notices(admin).length === 2 && notices(admin));
  const ids = told.map(({ text }) => /\(número\s+(\d+)\)/.exec(text)?.[1]);
  expect(ids.sort()).toEqual(['1', '2']);
});

test('the event of a deleted account is ignored', async () => {
  const admin = await identity.createAccount();
  await disable({ ...admin, caller: { ...admin.caller, accountId: 2_000_000_000 } });
  await disable(admin);
  await eventually(() => notices(admin).length === 1);
});

import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase, type Database } from '@sabia/service-kit/postgres/database';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk, type TestAsterisk, type TestExtension } from '@sabia/testkit/softphone/test-asterisk';
import type { RegistrationEvent } from '../src/domain/registration-event';
import { createRegistrations, type Registrations } from '../src/switch/asterisk/registrar/registrations';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const log = createLogger({ name: 'test', level: 'silent' });
let database: TestDatabase;
let pool: Database;
let asterisk: TestAsterisk;
let switchboard: Switchboard;
let registrations: Registrations;
let told: RegistrationEvent[];
let phones: Softphone[] = [];
let numbers = 1000;

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  pool = createDatabase({ ...patient, url: database.url, applicationName: 'telephony', poolSize: 5, log });
  asterisk = await startTestAsterisk(database);
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
}, 600_000);

beforeEach(() => {
  told = [];
  registrations = follow();
  registrations.start();
});

afterEach(async () => {
  await Promise.all(phones.map((phone) => phone.kill()));
  phones = [];
  await asterisk.sql.query('DELETE FROM sip.contacts');
  await registrations.stop();
  await asterisk.sql.query('DELETE FROM sip.contact_changes');
});

afterAll(async () => {
  await switchboard?.stop();
  await asterisk?.stop();
  await pool?.close();
  await database?.drop();
});

function follow(onRegistration = async (event: RegistrationEvent) => void told.push(event)): Registrations {
  return createRegistrations({ database: pool, log, onRegistration, pollMs: 20, deadAfterSeconds: 3 });
}

async function newExtension(overrides: Partial<TestExtension> = {}): Promise<TestExtension> {
  const extension = { domain: 'acme.sabia.localhost', ramal: String((numbers += 1)), senha: 'segredo-1', ...overrides };
  await asterisk.addExtension(extension);
  return extension;
}

async function startPhone(extension: TestExtension, options: { transport?: 'udp' | 'tcp' } = {}): Promise<Softphone> {
  const phone = await Softphone.start({ ...extension, server: asterisk.sipUdp, ...options });
  phones.push(phone);
  return phone;
}

const kinds = () => told.map(({ kind }) => kind);
const contactsOf = async ({ domain, ramal }: TestExtension) =>
  (
    await asterisk.sql.query<{ uri: string }>('SELECT uri FROM sip.contacts WHERE endpoint = $1', [
      `${ramal}@${domain}`,
    ])
  ).rows;

describe.each(['udp', 'tcp'] as const)('over %s', (transport) => {
  test('a new extension registers at once; one event when the softphone comes, one when it goes', async () => {
    const extension = await newExtension();
    const phone = await startPhone(extension, { transport });
    await phone.waitRegistered();
    expect(await registrations.isRegistered(extension)).toBe(true);
    await eventually(() => told.length === 1);
    expect(told[0]).toMatchObject({
      ...{ kind: 'registered', domain: extension.domain, ramal: extension.ramal, webrtc: false },
      userAgent: expect.stringContaining('baresip'),
    });
    await phone.stop();
    await eventually(() => told.length === 2);
    expect(kinds()).toEqual(['registered', 'unregistered']);
    expect(await registrations.isRegistered(extension)).toBe(false);
  });

  test('a wrong senha is refused', async () => {
    const extension = await newExtension();
    const phone = await startPhone({ ...extension, senha: 'guess-1' }, { transport });
    await expect(phone.waitRegistered()).rejects.toThrow('401 Unauthorized');
    expect(await registrations.isRegistered(extension)).toBe(false);
  });
});

test('an unknown number is refused in the same way', async () => {
  const phone = await startPhone({ domain: 'acme.sabia.localhost', ramal: '99999', senha: 'guess-1' });
  await expect(phone.waitRegistered()).rejects.toThrow('401 Unauthorized');
});

test('the same number in two accounts stays apart', async () => {
  const one = await newExtension({ domain: 'one.sabia.localhost', senha: 'segredo-one' });
  const other = { ...one, domain: 'other.sabia.localhost', senha: 'segredo-other' };
  await asterisk.addExtension(other);
  for (const extension of [one, other]) await (await startPhone(extension)).waitRegistered();
  await eventually(() => told.length === 2);
  expect(told.map(({ kind, domain }) => [kind, domain])).toEqual([
    ['registered', 'one.sabia.localhost'],
    ['registered', 'other.sabia.localhost'],
  ]);
  const intruder = await startPhone({ ...one, senha: other.senha });
  await expect(intruder.waitRegistered()).rejects.toThrow('401 Unauthorized');
});

test('a second softphone displaces the first with one event, and calls reach the second', async () => {
  const extension = await newExtension();
  const first = await startPhone(extension);
  await first.waitRegistered();
  const second = await startPhone(extension);
  await second.waitRegistered();
  expect(await contactsOf(extension)).toHaveLength(1);
  await eventually(() => told.length === 3);
  expect(kinds()).toEqual(['registered', 'registered', 'displaced']);
  expect(told[2]?.contact).toBe(told[0]?.contact);

  const endpoint = `PJSIP/${extension.ramal}@${extension.domain}`;
  await switchboard.ari.originate({ endpoint, channelId: 'to-second', timeout: 10 });
  await second.waitFor('CALL_ESTABLISHED');
  expect(first.events.map(({ type }) => type)).not.toContain('CALL_INCOMING');
  await switchboard.ari.hangup('to-second');
  await second.waitFor('CALL_CLOSED');

  await second.stop();
  await eventually(() => told.length === 4);
  expect(kinds()).toEqual(['registered', 'registered', 'displaced', 'unregistered']);
});

test('a changed senha takes effect on the next registration', async () => {
  const extension = await newExtension();
  await (await startPhone(extension)).waitRegistered();
  await asterisk.changeSenha({ ...extension, senha: 'segredo-2' });
  await expect((await startPhone(extension)).waitRegistered()).rejects.toThrow('401 Unauthorized');
  await (await startPhone({ ...extension, senha: 'segredo-2' })).waitRegistered();
});

test('a softphone can be looked at and removed', async () => {
  const extension = await newExtension();
  await (await startPhone(extension)).waitRegistered();
  const found = await registrations.find(extension);
  expect(found).toMatchObject({
    ...{ address: '127.0.0.1', transport: 'udp', userAgent: expect.stringContaining('baresip') },
  });
  expect(found!.expiresAt.getTime()).toBeGreaterThan(Date.now());
  await registrations.throwOut(extension);
  expect(await registrations.find(extension)).toBeUndefined();
  expect(await contactsOf(extension)).toEqual([]);
  await eventually(() => told.length === 2);
  expect(kinds()).toEqual(['registered', 'unregistered']);
});

test('also after the extension is gone', async () => {
  const extension = await newExtension();
  await (await startPhone(extension)).waitRegistered();
  await asterisk.sql.query('DELETE FROM extensions.extensions WHERE ramal = $1', [extension.ramal]);
  await registrations.throwOut(extension);
  expect(await contactsOf(extension)).toEqual([]);
});

test('a softphone over TCP that dies is gone at once', async () => {
  const extension = await newExtension();
  const phone = await startPhone(extension, { transport: 'tcp' });
  await phone.waitRegistered();
  await phone.kill();
  await eventually(() => told.length === 2);
  expect(kinds()).toEqual(['registered', 'unregistered']);
});

test('changes while no replica follows are published later, once, by one of two replicas', async () => {
  await registrations.stop();
  const extension = await newExtension();
  const phone = await startPhone(extension);
  await phone.waitRegistered();
  await phone.stop();
  const two = [follow(), follow()];
  two.forEach((each) => each.start());
  await eventually(() => told.length === 2);
  await eventually(async () => {
    const { rowCount } = await asterisk.sql.query('SELECT FROM sip.contact_changes');
    return rowCount === 0;
  });
  expect(kinds()).toEqual(['registered', 'unregistered']);
  await Promise.all(two.map((each) => each.stop()));
});

test('a failing listener loses no change', async () => {
  await registrations.stop();
  let failures = 2;
  const stubborn = follow(async (event) => {
    if (failures-- > 0) throw new Error('not now');
    told.push(event);
  });
  stubborn.start();
  const extension = await newExtension();
  await (await startPhone(extension)).waitRegistered();
  await eventually(() => told.length === 1);
  expect(kinds()).toEqual(['registered']);
  await stubborn.stop();
});

test('a registration outlives a crash of Asterisk', async () => {
  const extension = await newExtension();
  const phone = await startPhone(extension);
  await phone.waitRegistered();
  await eventually(() => told.length === 1);
  await asterisk.kill();
  await asterisk.start();
  await eventually(() => switchboard.ari.isConnected);
  const endpoint = `PJSIP/${extension.ramal}@${extension.domain}`;
  await eventually(() => switchboard.ari.originate({ endpoint, channelId: 'after-crash', timeout: 10 }));
  await phone.waitFor('CALL_ESTABLISHED');
  await switchboard.ari.hangup('after-crash');
  expect(kinds()).toEqual(['registered']);
});

test('a registration outlives a crash of its edge over UDP, and ends with it over TCP', async () => {
  const [stays, goes] = [await newExtension(), await newExtension()];
  const phone = await startPhone(stays);
  await phone.waitRegistered();
  await (await startPhone(goes, { transport: 'tcp' })).waitRegistered();
  await asterisk.edge.kill();
  try {
    // Nobody is left to tell of the end of its connections.
    await eventually(async () => (await contactsOf(goes)).length === 0);
    expect(await contactsOf(stays)).toHaveLength(1);
  } finally {
    await asterisk.edge.start();
  }
  const endpoint = `PJSIP/${stays.ramal}@${stays.domain}`;
  await eventually(() => switchboard.ari.originate({ endpoint, channelId: 'after-edge', timeout: 10 }));
  await phone.waitFor('CALL_ESTABLISHED');
  await switchboard.ari.hangup('after-edge');
});

test('what has expired counts as gone at once, and is removed', async () => {
  const extension = await newExtension();
  const phone = await startPhone(extension);
  await phone.waitRegistered();
  await phone.kill();
  await asterisk.sql.query('UPDATE sip.contacts SET expires_at = clock_timestamp()');
  expect(await registrations.isRegistered(extension)).toBe(false);
  await eventually(() => kinds().includes('unregistered'));
});

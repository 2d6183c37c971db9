import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase, type Database } from '@sabia/service-kit/postgres/database';
import { createTelemetry, type Telemetry } from '@sabia/service-kit/telemetry';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { startTestAsterisk, type TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { defaultGuardRules, type GuardRules } from '../src/switch/asterisk/registrar/guard-rules';
import { createRegistrations, type Registrations } from '../src/switch/asterisk/registrar/registrations';
import { SecurityEvents } from '../src/switch/asterisk/registrar/security-events';
import { createSecurityGuard, type SecurityGuard } from '../src/switch/asterisk/registrar/security-guard';
import { createSourceBans } from '../src/switch/asterisk/registrar/source-bans';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const extension = { domain: 'acme.sabia.localhost', ramal: '1000', senha: 'segredo-de-1000' };
const endpoint = `${extension.ramal}@${extension.domain}`;
const office = '127.0.1.1';
const stranger = '127.0.1.2';
type Transport = 'UDP' | 'TCP' | 'WS';

const logLines: { level: string; msg: string }[] = [];
const log = createLogger({
  name: 'test',
  level: 'info',
  destination: { write: (line: string) => void logLines.push(JSON.parse(line) as (typeof logLines)[number]) },
});
let database: TestDatabase;
let pool: Database;
let asterisk: TestAsterisk;
let switchboard: Switchboard;
let telemetry: Telemetry;
let registrations: Registrations;
let events: SecurityEvents;
let guard: SecurityGuard;

/** As a start of telephony. */
async function startGuard(rules: Partial<GuardRules> = {}): Promise<void> {
  telemetry = await createTelemetry({ serviceName: 'telephony', metricsPort: 0, metricsHost: '127.0.0.1' });
  guard = createSecurityGuard({
    ...{ database: pool, ari: switchboard.ari, meter: telemetry.meter, log },
    rules: { ...defaultGuardRules, ...rules },
  });
  events = new SecurityEvents({
    ...{ ...asterisk.ami, log },
    onEvent: (event) => guard.handle(event),
    onConnected: () => guard.onConnected(),
  });
  guard.start();
  events.start();
  await eventually(() => events.isConnected);
}

async function stopGuard(): Promise<void> {
  events.stop();
  await guard.stop();
  await telemetry.shutdown();
}

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  pool = createDatabase({ url: database.url, applicationName: 'telephony', poolSize: 5, log });
  asterisk = await startTestAsterisk(database);
  await asterisk.addExtension(extension);
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
  const onRegistration = async () => undefined;
  registrations = createRegistrations({ database: pool, ari: switchboard.ari, log, onRegistration, pollMs: 20 });
  registrations.start();
}, 600_000);

beforeEach(() => startGuard());

afterEach(async () => {
  await asterisk.sql.query('UPDATE telephony.sip_bans SET banned_until = now()');
  await eventually(async () => (await banned()).length === 0);
  await asterisk.sql.query('DELETE FROM sip.extension_locks');
  await asterisk.sql.query('DELETE FROM sip.known_sources');
  await stopGuard();
});

afterAll(async () => {
  await registrations?.stop();
  await switchboard?.stop();
  await asterisk?.stop();
  await pool?.close();
  await database?.drop();
});

const openLine = (transport: Transport, address: string) =>
  SipLine.open({ transport, address, server: transport === 'WS' ? asterisk.ws : asterisk.sipUdp });

/** The statuses of several attempts on one connection. */
async function attempt(
  { transport, address }: { transport: Transport; address: string },
  { senha = extension.senha, times = 1 }: { senha?: string; times?: number } = {},
): Promise<(number | undefined)[]> {
  const line = await openLine(transport, address);
  const statuses = [];
  try {
    for (let nth = 0; nth < times; nth++) {
      // Twenty ban an address. A busy machine gets the time that a ban takes; a guesser over a network leaves it anyway.
      if (nth > 20) await delay(50);
      statuses.push(await line.register({ ...extension, senha }));
    }
    return statuses;
  } finally {
    line.close();
  }
}

const guess = (address: string, times: number, transport: Transport = 'UDP') =>
  attempt({ transport, address }, { senha: 'a-wrong-guess', times });

const registersFrom = async (address: string, transport: Transport = 'UDP') =>
  (await attempt({ transport, address }))[0];

async function banned(): Promise<string[]> {
  const { rows } = await asterisk.sql.query<{ address: string }>(
    'SELECT host(address) AS address FROM telephony.sip_bans ORDER BY telephony.sip_bans.address',
  );
  return rows.map(({ address }) => address);
}

async function isLocked(): Promise<boolean> {
  const { rowCount } = await asterisk.sql.query('SELECT FROM sip.extension_locks WHERE endpoint = $1', [endpoint]);
  return rowCount === 1;
}

async function contacts(): Promise<string[]> {
  const { rows } = await asterisk.sql.query<{ uri: string }>('SELECT uri FROM sip.ps_contacts WHERE endpoint = $1', [
    endpoint,
  ]);
  return rows.map(({ uri }) => uri);
}

async function metric(name: string): Promise<string | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${telemetry.metricsPort}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(name));
}

test.each(['UDP', 'TCP', 'WS'] as const)(
  'five addresses that guess over %s are banned, and the softphone of the extension never notices',
  async (transport) => {
    const attackers = [2, 3, 4, 5, 6].map((nth) => `127.0.0.${nth}`);
    const phone = await openLine(transport, office);
    expect(await phone.register(extension)).toBe(200);
    const [contact] = await contacts();
    await eventually(async () => (await asterisk.sql.query('SELECT FROM sip.known_sources')).rowCount === 1);

    const guesses = Promise.all(attackers.map((address) => guess(address, 60, transport)));
    for (let nth = 0; nth < 10; nth++) expect(await phone.register(extension)).toBe(200);
    // What is under way when the ban falls is checked still.
    for (const statuses of await guesses) expect(statuses.filter((status) => status === 401).length).toBeLessThan(50);
    await eventually(async () => (await banned()).length === attackers.length);
    expect(await banned()).toEqual(attackers);
    expect(await isLocked()).toBe(true);

    // The right password is of no use now: not to them, and not to somebody who was not seen before.
    await eventually(async () => (await registersFrom(attackers[4]!, transport)) === 403);
    for (const address of attackers) expect(await registersFrom(address, transport)).toBe(403);
    expect(await registersFrom(stranger, transport)).toBe(401);
    expect(await phone.register(extension)).toBe(200);
    expect(await contacts()).toEqual([contact]);
    phone.close();

    // Also when it comes back on another connection, as after a restart.
    expect(await registersFrom(office, transport)).toBe(200);
  },
);

test('each ban and each lock ends in its own time', async () => {
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) await guess(address, 25);
  await eventually(async () => (await banned()).length === 3);
  await eventually(async () => (await registersFrom('127.0.0.4')) === 403);
  expect(await isLocked()).toBe(true);

  await asterisk.sql.query('UPDATE sip.extension_locks SET locked_until = now()');
  await asterisk.sql.query(`UPDATE telephony.sip_bans SET banned_until = now() WHERE address = '127.0.0.3'`);
  await eventually(async () => (await registersFrom('127.0.0.3')) === 200);
  expect(await registersFrom(stranger)).toBe(200);
  expect([await registersFrom('127.0.0.2'), await registersFrom('127.0.0.4')]).toEqual([403, 403]);
  expect(await banned()).toEqual(['127.0.0.2', '127.0.0.4']);

  // And whoever goes on is banned anew.
  await guess('127.0.0.3', 25);
  await eventually(async () => (await registersFrom('127.0.0.3')) === 403);
  await asterisk.sql.query('UPDATE telephony.sip_bans SET banned_until = now()');
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    await eventually(async () => (await registersFrom(address)) === 200);
  }
});

test('a single guessing address is banned and locks no extension; a spared one is not banned', async () => {
  // Fewer than 50 in all, also when none of them comes too late.
  await guess('127.0.0.2', 25);
  await guess('127.0.0.1', 22);
  await eventually(async () => (await banned()).length === 1);
  await eventually(async () => (await registersFrom('127.0.0.2')) === 403);
  expect(await isLocked()).toBe(false);
  expect([await registersFrom(stranger), await registersFrom('127.0.0.1')]).toEqual([200, 200]);
  expect(await metric('sabia_sip_failed_authentications_total{source="127.0.0.2",transport="UDP"')).toMatch(/ 2\d$/);
  expect(await metric('sabia_sip_bans_total')).toMatch(/ 1$/);
  expect(await metric('sabia_sip_banned_sources')).toMatch(/ 1$/);
});

test('an event whose address may be forged leads to no ban', async () => {
  const forged = { kind: 'InvalidAccountID', account: endpoint, transport: 'UDP', address: stranger };
  for (let nth = 0; nth < 100; nth++) guard.handle(forged);
  await guess('127.0.0.2', 25);
  await eventually(async () => (await banned()).length === 1);
  expect(await banned()).toEqual(['127.0.0.2']);
  expect(await isLocked()).toBe(false);
});

test('a restarted Asterisk gets the bans again, and those made in between', async () => {
  await guess('127.0.0.2', 25);
  await eventually(async () => (await registersFrom('127.0.0.2')) === 403);
  logLines.length = 0;
  await asterisk.kill();
  const failure = { kind: 'InvalidPassword', account: endpoint, transport: 'UDP', address: '127.0.0.3' };
  for (let nth = 0; nth < 20; nth++) guard.handle(failure);
  await eventually(() => logLines.some(({ msg }) => msg === 'bans of SIP sources cannot be written to Asterisk'));
  await asterisk.start();
  await eventually(async () => (await registersFrom('127.0.0.2')) === 403);
  await eventually(async () => (await registersFrom('127.0.0.3')) === 403);
  expect(await registersFrom(office)).toBe(200);
  await eventually(() => switchboard.ari.isConnected);
});

test('a ban outlives the replica that made it, and still ends', async () => {
  await guess('127.0.0.2', 25);
  await eventually(async () => (await registersFrom('127.0.0.2')) === 403);
  await stopGuard();
  await asterisk.sql.query('UPDATE telephony.sip_bans SET banned_until = now()');
  expect(await registersFrom('127.0.0.2')).toBe(403);
  await startGuard();
  await eventually(async () => (await registersFrom('127.0.0.2')) === 200);
});

test('beyond the maximum of bans, those that end first are lifted early', async () => {
  await stopGuard();
  await startGuard({ mostBans: 2 });
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    await guess(address, 25);
    await eventually(async () => (await registersFrom(address)) === 403);
  }
  await eventually(async () => (await registersFrom('127.0.0.2')) !== 403);
  expect(await banned()).toEqual(['127.0.0.3', '127.0.0.4']);
});

describe('of two replicas', () => {
  beforeEach(() => stopGuard());
  afterEach(() => startGuard());

  test.each([
    ['is over', -1_000, 10],
    ['is one too many', 600_000, 0],
  ])('one that knows a ban that %s lifts no other that was made meanwhile', async (_what, forMs, most) => {
    const [first, second] = ['127.0.0.2', '127.0.0.3'];
    const lifted: string[] = [];
    const putAcl = async () => undefined;
    const fast = createSourceBans({ database: pool, ari: { putAcl, deleteObject: async () => true }, log, most: 10 });
    const deleteObject = async (_type: string, id: string) => {
      lifted.push(id);
      // The first is at hand, and what is known of the second is old by now.
      await asterisk.sql.query('DELETE FROM telephony.sip_bans WHERE address = $1', [second]);
      await fast.ban(second, 900_000);
      return true;
    };
    const slow = createSourceBans({ database: pool, ari: { putAcl, deleteObject }, log, most });
    await fast.ban(first, forMs);
    await fast.ban(second, forMs - 1_000);
    await slow.reconcile();
    expect(lifted).toEqual([`ban-${first}`]);
    expect(await banned()).toEqual([second]);
  });

  test('a ban that cannot be lifted in Asterisk stays, to be lifted later', async () => {
    const ari = { putAcl: async () => undefined, deleteObject: () => Promise.reject(new Error('away')) };
    const bans = createSourceBans({ database: pool, ari, log, most: 10 });
    await bans.ban('127.0.0.2', -1_000);
    await bans.reconcile();
    expect(await banned()).toEqual(['127.0.0.2']);
  });
});

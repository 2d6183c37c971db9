import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sabia/service-kit/logging';
import { createTelemetry, type Telemetry } from '@sabia/service-kit/telemetry';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { findSipp } from '@sabia/testkit/softphone/programs';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk, type TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { SecurityEvents } from '../src/switch/asterisk/security-events';
import { createSecurityGuard, type SecurityGuard } from '../src/switch/asterisk/security-guard';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const log = createLogger({ name: 'test', level: 'silent' });
const extension = { domain: 'acme.sabia.localhost', ramal: '1000', senha: 'segredo-1' };
const attacker = '127.0.0.2';
let database: TestDatabase;
let asterisk: TestAsterisk;
let switchboard: Switchboard;
let telemetry: Telemetry;
let events: SecurityEvents;
let guard: SecurityGuard;

async function startGuard(banMs: number): Promise<void> {
  const rules = { failures: 20, windowMs: 60_000, banMs, mostBans: 100, spared: ['127.0.0.1'] };
  guard = createSecurityGuard({ ari: switchboard.ari, meter: telemetry.meter, log, rules });
  await guard.apply();
}

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  asterisk = await startTestAsterisk(database);
  await asterisk.addExtension(extension);
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
  telemetry = await createTelemetry({ serviceName: 'telephony', metricsPort: 0, metricsHost: '127.0.0.1' });
  events = new SecurityEvents({ ...asterisk.ami, log, onEvent: (event) => guard.handle(event) });
  events.start();
  await eventually(() => events.isConnected);
}, 600_000);

afterEach(() => guard.stop());

afterAll(async () => {
  events?.stop();
  await telemetry?.shutdown();
  await switchboard?.stop();
  await asterisk?.stop();
  await database?.drop();
});

/** Registers again and again with a wrong password, as fast as asked. Resolves when sipp ends. */
async function flood(calls: number, perSecond: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sabia-flood-'));
  writeFileSync(join(folder, 'flood.xml'), scenario());
  const { command, args } = await findSipp();
  const options = [
    '-sf',
    'flood.xml',
    '-i',
    attacker,
    '-p',
    '0',
    '-r',
    perSecond,
    '-m',
    calls,
    '-timeout',
    '30',
    '-nostdin',
  ];
  const child = spawn(command, [...args, ...options.map(String), asterisk.sipUdp], { cwd: folder, stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}

function scenario(): string {
  const register = (authentication: string) => `<send retrans="500"><![CDATA[
REGISTER sip:${extension.domain} SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
Max-Forwards: 70
From: <sip:${extension.ramal}@${extension.domain}>;tag=[call_number]
To: <sip:${extension.ramal}@${extension.domain}>
Call-ID: [call_id]
CSeq: [cseq] REGISTER
Contact: <sip:x@[local_ip]:[local_port]>
Expires: 300
${authentication}Content-Length: 0

]]></send>`;
  const refused = '<recv response="403" optional="true" next="end"/>';
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="wrong passwords">
${register('')}
${refused}
<recv response="401" auth="true"/>
${register(`[authentication username=${extension.ramal} password=guess]\n`)}
${refused}
<recv response="401"/>
<label id="end"/>
</scenario>`;
}

async function metric(name: string): Promise<string | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${telemetry.metricsPort}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(name));
}

async function register(address: string): Promise<void> {
  const phone = await Softphone.start({ ...extension, server: asterisk.sipUdp, address });
  try {
    await phone.waitRegistered();
  } finally {
    await phone.stop();
  }
}

test('who guesses passwords is counted and banned for a while, and the others never notice', async () => {
  await startGuard(12_000);
  const flooding = flood(200, 40);
  await eventually(() => guard.banned.includes(attacker));
  await register('127.0.0.1');
  await flooding;
  expect(guard.banned).toEqual([attacker]);
  const failures = await metric('sabia_sip_failed_authentications_total{source=');
  expect(failures).toMatch(/source="127\.0\.0\.2",transport="UDP"/);
  // Those that were under way when the ban fell are counted, too.
  expect(Number(failures?.split(' ').at(-1))).toBeLessThan(150);
  expect(await metric('sabia_sip_bans_total')).toMatch(/ 1$/);
  expect(await metric('sabia_sip_banned_sources')).toMatch(/ 1$/);

  // The right password does not help, as long as the ban lasts.
  await expect(register(attacker)).rejects.toThrow('403');
  await register('127.0.0.1');
  await eventually(() => register(attacker).then(() => true));
  expect(guard.banned).toEqual([]);
});

test('an Asterisk that comes back learns the bans again', async () => {
  await startGuard(600_000);
  await flood(25, 100);
  await eventually(() => guard.banned.includes(attacker));
  await asterisk.kill();
  await asterisk.start();
  await eventually(() => switchboard.ari.isConnected && events.isConnected);
  await guard.apply();
  await expect(register(attacker)).rejects.toThrow('403');
  await register('127.0.0.1');
});

import type { Kamailio } from '@sabia/embedded/kamailio/start-kamailio';
import { makeCertificate } from '@sabia/testkit/certificate';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { createRunHome, type RunHome } from '@sabia/testkit/run-homes';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { startTestAsterisk, type TestAsterisk, type TestExtension } from '@sabia/testkit/softphone/test-asterisk';
import { startTestEdge, tellEdge } from '@sabia/testkit/softphone/test-edge';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const MANY = 1_000;
let run: RunHome;
let database: TestDatabase;
let asterisk: TestAsterisk;
let other: Kamailio;
let switchboard: Switchboard;
let ramal = 2000;
let channels = 0;

beforeAll(async () => {
  run = await createRunHome('edges');
  database = await createTestDatabase('telephony');
  asterisk = await startTestAsterisk(database, { tls: makeCertificate(run.path), sipHost6: '::1' });
  other = await startTestEdge(database, { home: run.path, name: 'other' });
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
}, 600_000);

afterAll(async () => {
  await switchboard?.stop();
  await other?.kill();
  await asterisk?.stop();
  await database?.drop();
  run?.remove();
});

async function newExtension(): Promise<TestExtension> {
  const extension = { domain: 'acme.sabia.localhost', ramal: String((ramal += 1)), senha: 'segredo-1' };
  await asterisk.addExtension(extension);
  return extension;
}

/** Calls the extension; the id of the channel. */
async function call({ ramal: number, domain }: TestExtension): Promise<string> {
  const channelId = `edges-${(channels += 1)}`;
  await switchboard.ari.originate({ endpoint: `PJSIP/${number}@${domain}`, channelId, timeout: 20 });
  return channelId;
}

/** The first INVITE that reaches the line. */
const invite = (line: SipLine) => eventually(() => line.requests.find(({ method }) => method === 'INVITE'));

test('a phone over TLS registers, is called, and is offered SRTP; over UDP it is not', async () => {
  for (const [transport, server] of [
    ['TLS', asterisk.edge.sipTls],
    ['UDP', asterisk.sipUdp],
  ] as const) {
    const extension = await newExtension();
    const line = await SipLine.open({ transport, server });
    expect(await line.register(extension)).toBe(200);
    const channel = await call(extension);
    const { body } = await invite(line);
    expect(/^a=crypto:/m.test(body)).toBe(transport === 'TLS');
    await switchboard.ari.hangup(channel);
    line.close();
  }
});

test('a web phone over WSS registers and is called, with the media of a browser', async () => {
  const extension = await newExtension();
  const line = await SipLine.open({ transport: 'WSS', server: asterisk.edge.wss });
  expect(await line.register(extension)).toBe(200);
  const channel = await call(extension);
  expect((await invite(line)).body).toMatch(/^a=fingerprint:/m);
  await switchboard.ari.hangup(channel);
  line.close();
});

test.each(['UDP', 'TCP'] as const)('a phone over IPv6 and %s registers and is called', async (transport) => {
  const extension = await newExtension();
  const [, port] = asterisk.sipUdp.split(':');
  const line = await SipLine.open({ transport, server: `[::1]:${port}`, address: '::1' });
  expect(await line.register(extension)).toBe(200);
  const channel = await call(extension);
  await invite(line);
  await switchboard.ari.hangup(channel);
  line.close();
});

test('a phone behind NAT is called where it last came from, whatever its Contact says', async () => {
  const extension = await newExtension();
  const contact = '192.168.7.7:5060';
  const before = await SipLine.open({ transport: 'UDP', server: asterisk.sipUdp });
  expect(await before.register(extension, 300, contact)).toBe(200);
  const after = await SipLine.open({ transport: 'UDP', server: asterisk.sipUdp });
  expect(await after.register(extension, 300, contact)).toBe(200);
  const channel = await call(extension);
  expect((await invite(after)).uri).toContain(contact);
  expect(before.requests.filter(({ method }) => method === 'INVITE')).toEqual([]);
  await switchboard.ari.hangup(channel);
  before.close();
  after.close();
});

test('a call outlives its edge: it is heard, and ended through another edge', async () => {
  const extension = await newExtension();
  const bank = await PhoneBank.open({ server: asterisk.sipUdp });
  await bank.register(extension);
  const channel = await call(extension);
  await eventually(() => bank.talking.length === 1);
  const [talk] = bank.talking;
  await switchboard.ari.play(channel, 'tone:dial');
  await eventually(() => talk!.heard > 10);
  await asterisk.edge.kill();
  try {
    const heard = talk!.heard;
    await eventually(() => talk!.heard > heard + 50);
    await bank.hangUp(talk!, other.sipUdp);
    await eventually(() => switchboard.ended(channel) !== undefined);
    // Its way leads over the other edge now: an edge that is away is no reason to be unreachable over UDP.
    await eventually(async () => {
      const { rows } = await asterisk.sql.query<{ way: string }>('SELECT way FROM sip.ways WHERE endpoint = $1', [
        `${extension.ramal}@${extension.domain}`,
      ]);
      const { rows: edges } = await asterisk.sql.query<{ at: string }>(
        `SELECT host(node_host) || ':' || node_port AS at FROM sip.edges WHERE name = 'other'`,
      );
      return rows[0]!.way.startsWith(`sip:${edges[0]!.at};`);
    });
    const again = await call(extension);
    await eventually(() => bank.talking.length === 1);
    await switchboard.ari.hangup(again);
  } finally {
    bank.end();
    await asterisk.edge.start();
  }
});

test('an edge that drains takes no more phones, and keeps calls and the phones that it has', async () => {
  const [kept, late] = [await newExtension(), await newExtension()];
  const bank = await PhoneBank.open({ server: other.sipUdp });
  await bank.register(kept);
  const channel = await call(kept);
  await eventually(() => bank.talking.length === 1);
  const [talk] = bank.talking;
  await switchboard.ari.play(channel, 'tone:dial');
  const line = await SipLine.open({ transport: 'TCP', server: other.sipTcp });
  const health = async () => (await fetch(new URL('/health', other.ws.replace('ws', 'http')))).status;
  expect(await health()).toBe(200);

  await tellEdge(run.path, other, 'pv.shvSet', 'draining', 'int', '1');
  expect(await health()).toBe(404);
  expect(await line.register(late)).toBe(503);
  await expect(SipLine.open({ transport: 'WS', server: other.ws })).rejects.toThrow('503');
  await eventually(async () => {
    const { rows } = await asterisk.sql.query<{ state: string }>(`SELECT state FROM sip.edges WHERE name = 'other'`);
    return rows[0]?.state === 'draining';
  });
  const heard = talk!.heard;
  await eventually(() => talk!.heard > heard + 10);
  await switchboard.ari.hangup(channel);
  await eventually(() => bank.talking.length === 0);
  const again = await call(kept);
  await eventually(() => bank.talking.length === 1);
  await switchboard.ari.hangup(again);
  await eventually(() => bank.talking.length === 0);

  await tellEdge(run.path, other, 'pv.shvSet', 'draining', 'int', '0');
  expect(await health()).toBe(200);
  expect(await line.register(late)).toBe(200);
  line.close();
  bank.end();
});

test(`${MANY} phones over TCP are connected and registered at once, and each can be called`, async () => {
  await asterisk.sql.query(
    `INSERT INTO extensions.extensions (account_id, domain, ramal, senha_sealed, senha_key_id, ha1, first_name, last_name,
       email_address, gravar_audio, registration_changed_at, created_at, updated_at)
     SELECT 1, 'many.sabia.localhost', nth::text, '', 'test', md5(nth || ':many.sabia.localhost:s'), 'Ana', 'Souza', 'a@example.com',
       false, now(), now(), now() FROM generate_series(10000, $1::int - 1) AS nth`,
    [10_000 + MANY],
  );
  const phones: { line: SipLine; extension: TestExtension }[] = [];
  for (let first = 0; first < MANY; first += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, nth) => {
        const extension = { domain: 'many.sabia.localhost', ramal: String(10_000 + first + nth), senha: 's' };
        const line = await SipLine.open({ transport: 'TCP', server: asterisk.sipTcp });
        phones.push({ line, extension });
        expect(await line.register(extension)).toBe(200);
      }),
    );
  }
  const count = async () =>
    (
      await asterisk.sql.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM sip.contacts WHERE endpoint LIKE '%@many.%'`,
      )
    ).rows[0]!.n;
  expect(await count()).toBe(MANY);
  for (const { line, extension } of [phones[0]!, phones[MANY / 2]!, phones.at(-1)!]) {
    const channel = await call(extension);
    await invite(line);
    await switchboard.ari.hangup(channel);
  }
  phones.forEach(({ line }) => line.close());
  await eventually(async () => (await count()) === 0);
});

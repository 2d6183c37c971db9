import { setTimeout as delay } from 'node:timers/promises';
import { testNumbers } from '@sabia/embedded/asterisk/test-numbers';
import { eventually } from '@sabia/testkit/eventually';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import type { TestAsterisk, TestExtension } from '@sabia/testkit/softphone/test-asterisk';
import { tellEdge } from '@sabia/testkit/softphone/test-edge';
import { EdgeStage } from './support/edge-stage';
import type { Switchboard } from './support/switchboard';

const MANY = 3_000;
let stage: EdgeStage;
let asterisk: TestAsterisk;
let switchboard: Switchboard;

beforeAll(async () => {
  stage = await EdgeStage.open();
  ({ asterisk, switchboard } = stage);
}, 600_000);

afterAll(() => stage?.close());

/** The first INVITE that reaches the line. */
const invite = (line: SipLine) => eventually(() => line.requests.find(({ method }) => method === 'INVITE'));

test('a phone over TLS registers, is called, and is offered SRTP; over UDP it is not', async () => {
  for (const [transport, server] of [
    ['TLS', asterisk.edge.sipTls],
    ['UDP', asterisk.sipUdp],
  ] as const) {
    const extension = await stage.newExtension();
    const line = await SipLine.open({ transport, server });
    expect(await line.register(extension)).toBe(200);
    const channel = await stage.call(extension);
    const { body } = await invite(line);
    expect(/^a=crypto:/m.test(body)).toBe(transport === 'TLS');
    await switchboard.ari.hangup(channel);
    line.close();
  }
});

test('a desk phone over TLS hears and is heard over SRTP, whoever calls', async () => {
  const extension = await stage.newExtension();
  const server = asterisk.edge.sipTls;
  const phone = await Softphone.start({ ...extension, server, transport: 'tls', encrypts: true });
  const isEncrypted = async (channel: string) =>
    (await switchboard.ari.variable(channel, 'CHANNEL(rtp,secure)')) === '1';
  try {
    await phone.waitRegistered();
    await phone.dial(testNumbers.echo);
    await phone.waitFor('CALL_ESTABLISHED');
    expect(await isEncrypted(await stage.dialled())).toBe(true);
    // What it hears is what it has said.
    await phone.waitHeard({ seconds: 1, loudness: 500 });
    await phone.hangup();
    await phone.waitFor('CALL_CLOSED');
    phone.forget();

    const channel = await stage.call(extension);
    await phone.waitFor('CALL_ESTABLISHED');
    expect(await isEncrypted(channel)).toBe(true);
    await switchboard.play(channel, 'tone:dial');
    await phone.waitHeard({ seconds: 1, loudness: 500 });
    await eventually(async () => (await switchboard.ari.rtpStatistics(channel)).rxcount > 50);
    await switchboard.ari.hangup(channel);
  } finally {
    await phone.stop();
  }
});

test('a web phone over WSS registers and is called, with the media of a browser', async () => {
  const extension = await stage.newExtension();
  const line = await SipLine.open({ transport: 'WSS', server: asterisk.edge.wss });
  expect(await line.register(extension)).toBe(200);
  const channel = await stage.call(extension);
  expect((await invite(line)).body).toMatch(/^a=fingerprint:/m);
  await switchboard.ari.hangup(channel);
  line.close();
});

test.each(['UDP', 'TCP'] as const)('a phone over IPv6 and %s registers and is called', async (transport) => {
  const extension = await stage.newExtension();
  const [, port] = asterisk.sipUdp.split(':');
  const line = await SipLine.open({ transport, server: `[::1]:${port}`, address: '::1' });
  expect(await line.register(extension)).toBe(200);
  const channel = await stage.call(extension);
  await invite(line);
  await switchboard.ari.hangup(channel);
  line.close();
});

test('a phone behind NAT is called where it last came from, whatever its Contact says', async () => {
  const extension = await stage.newExtension();
  const contact = '192.168.7.7:5060';
  const before = await SipLine.open({ transport: 'UDP', server: asterisk.sipUdp });
  expect(await before.register(extension, 300, contact)).toBe(200);
  const after = await SipLine.open({ transport: 'UDP', server: asterisk.sipUdp });
  expect(await after.register(extension, 300, contact)).toBe(200);
  const channel = await stage.call(extension);
  expect((await invite(after)).uri).toContain(contact);
  expect(before.requests.filter(({ method }) => method === 'INVITE')).toEqual([]);
  await switchboard.ari.hangup(channel);
  before.close();
  after.close();
});

test('a phone over UDP whose first word comes late is waited for', async () => {
  const extension = await stage.newExtension();
  const bank = await PhoneBank.open({ server: asterisk.sipUdp, manner: () => 'silent' });
  await bank.register(extension);
  const channel = await stage.call(extension);
  const [call] = await eventually(() => bank.calls.size > 0 && [...bank.calls.values()]);
  // A phone that wakes up, or is in a slow network.
  await delay(3_000);
  bank.answer(call!);
  await switchboard.play(channel, 'tone:dial');
  await eventually(() => call!.heard > 10);
  await switchboard.ari.hangup(channel);
  bank.end();
});

test('an edge that drains takes no more phones, and keeps calls and the phones that it has', async () => {
  const [kept, late] = [await stage.newExtension(), await stage.newExtension()];
  const bank = await PhoneBank.open({ server: stage.other.sipUdp });
  await bank.register(kept);
  const channel = await stage.call(kept);
  await eventually(() => bank.talking.length === 1);
  const [talk] = bank.talking;
  await switchboard.play(channel, 'tone:dial');
  const line = await SipLine.open({ transport: 'TCP', server: stage.other.sipTcp });
  const health = async () => (await fetch(new URL('/health', stage.other.ws.replace('ws', 'http')))).status;
  expect(await health()).toBe(200);

  await tellEdge(stage.run.path, stage.other, 'pv.shvSet', 'draining', 'int', '1');
  expect(await health()).toBe(404);
  expect(await line.register(late)).toBe(503);
  await expect(SipLine.open({ transport: 'WS', server: stage.other.ws })).rejects.toThrow('503');
  await eventually(async () => {
    const { rows } = await asterisk.sql.query<{ state: string }>(`SELECT state FROM sip.edges WHERE name = 'other'`);
    return rows[0]?.state === 'draining';
  });
  const heard = talk!.heard;
  await eventually(() => talk!.heard > heard + 10);
  await switchboard.ari.hangup(channel);
  await eventually(() => bank.talking.length === 0);
  const again = await stage.call(kept);
  await eventually(() => bank.talking.length === 1);
  await switchboard.ari.hangup(again);
  await eventually(() => bank.talking.length === 0);

  await tellEdge(stage.run.path, stage.other, 'pv.shvSet', 'draining', 'int', '0');
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
        // A flood of one address would be cut off.
        const address = `127.0.2.${nth + 1}`;
        const line = await SipLine.open({ transport: 'TCP', server: asterisk.sipTcp, address });
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
    const channel = await stage.call(extension);
    await invite(line);
    await switchboard.ari.hangup(channel);
  }
  phones.forEach(({ line }) => line.close());
  await eventually(async () => (await count()) === 0);
});

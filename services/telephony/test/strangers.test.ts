import { createSocket, type Socket } from 'node:dgram';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { startTestAsterisk, type TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const domain = 'acme.sabia.localhost';
let database: TestDatabase;
let asterisk: TestAsterisk;
let switchboard: Switchboard;
let socket: Socket;

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  asterisk = await startTestAsterisk(database);
  await asterisk.addExtension({ domain, ramal: '1000', senha: 'segredo-1' });
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
  socket = createSocket('udp4');
  // No address of an edge.
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.7', resolve));
}, 600_000);

afterAll(async () => {
  socket?.close();
  await switchboard?.stop();
  await asterisk?.stop();
  await database?.drop();
});

/** The status of the first answer that is no provisional one. */
async function send(
  method: string,
  { from, to, tag, port, further = [] }: { from: string; to: string; tag?: string; port?: number; further?: string[] },
): Promise<number> {
  const [host = '', usual] = asterisk.sipUdp.split(':');
  const id = randomUUID();
  const own = `127.0.0.7:${socket.address().port}`;
  const body = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 8\r\n';
  const message = [
    `${method} ${to} SIP/2.0`,
    `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${id};rport`,
    'Max-Forwards: 70',
    `From: <${from}>;tag=${id}`,
    `To: <${to}>${tag === undefined ? '' : `;tag=${tag}`}`,
    `Call-ID: ${id}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:x@${own}>`,
    ...further,
    ...(method === 'INVITE' ? ['Content-Type: application/sdp'] : []),
    `Content-Length: ${method === 'INVITE' ? body.length : 0}`,
    '',
    method === 'INVITE' ? body : '',
  ].join('\r\n');
  return new Promise((resolve) => {
    const listen = (answer: Buffer) => {
      const text = answer.toString('utf8');
      const status = Number(/^SIP\/2.0 (\d+)/.exec(text)?.[1]);
      if (!text.includes(id) || !(status >= 200)) return;
      socket.off('message', listen);
      resolve(status);
    };
    socket.on('message', listen);
    socket.send(message, port ?? Number(usual), host);
  });
}

test.each([
  ['nobody', 'sip:nobody@nowhere.invalid', 'sip:551155500101@x'],
  ['a name of an extension without its password', `sip:1000@${domain}`, 'sip:551155500101@x'],
  ['the name of a trunk', 'sip:trunk-test@x', 'sip:551155500101@x'],
  ['the name of the far end of the test carrier', 'sip:test-carrier@x', 'sip:551155500101@x'],
  ['the domain of the test trunk', 'sip:1@trunk-test.invalid', 'sip:551155500101@x'],
])('a call as %s is refused and reaches no application', async (_what, from, to) => {
  // The edge asks for the password of an extension; the node and the test carrier take nobody for one.
  expect(await send('INVITE', { from, to })).toBe(407);
  expect(await send('INVITE', { from, to, port: asterisk.sip.port })).toBe(401);
  expect(await send('INVITE', { from, to, port: asterisk.testCarrierPort })).toBe(401);
  expect(await switchboard.ari.channels()).toEqual([]);
});

test('who says to be a carrier is not believed, neither by the edge nor by the node', async () => {
  const call = {
    from: 'sip:5511977776666@carrier.example',
    to: 'sip:551140028922@x',
    further: ['X-Sabia-Trunk: open'],
  };
  expect(await send('INVITE', call)).toBe(407);
  expect(await send('INVITE', { ...call, port: asterisk.sip.port })).toBe(401);
  expect(await switchboard.ari.channels()).toEqual([]);
});

test('what pretends to be part of a call leads nowhere', async () => {
  const known = { from: 'sip:x@y', to: `sip:1000@${domain}`, tag: 'abc' };
  expect(await send('BYE', { ...known, further: ['Route: <sip:192.0.2.1;lr>'] })).toBe(403);
  expect(await send('INVITE', { ...known, to: `sip:551155500101@127.0.0.1:${asterisk.sip.port}` })).toBe(481);
  expect(await switchboard.ari.channels()).toEqual([]);
});

test('a stranger is told that the edge is there, and nothing else', async () => {
  const call = { from: 'sip:nobody@nowhere.invalid', to: `sip:1000@${domain}` };
  expect(await send('OPTIONS', call)).toBe(200);
  expect(await send('REGISTER', call)).toBe(401);
  for (const method of ['SUBSCRIBE', 'MESSAGE', 'PUBLISH', 'REFER']) expect(await send(method, call)).toBe(405);
});

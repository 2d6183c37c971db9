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
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
}, 600_000);

afterAll(async () => {
  socket?.close();
  await switchboard?.stop();
  await asterisk?.stop();
  await database?.drop();
});

/** The status of the first answer that is no provisional one. */
async function send(method: string, { from, to, port }: { from: string; to: string; port?: number }): Promise<number> {
  const [host = '', usual] = asterisk.sipUdp.split(':');
  const id = randomUUID();
  const own = `127.0.0.1:${socket.address().port}`;
  const body = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 8\r\n';
  const message = [
    `${method} ${to} SIP/2.0`,
    `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${id};rport`,
    'Max-Forwards: 70',
    `From: <${from}>;tag=${id}`,
    `To: <${to}>`,
    `Call-ID: ${id}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:x@${own}>`,
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
  expect(await send('INVITE', { from, to })).toBe(401);
  expect(await send('INVITE', { from, to, port: asterisk.testCarrierPort })).toBe(401);
  expect(await switchboard.ari.channels()).toEqual([]);
});

test.each(['REGISTER', 'OPTIONS', 'SUBSCRIBE', 'MESSAGE', 'PUBLISH', 'REFER'])(
  '%s of a stranger is refused',
  async (method) => {
    expect(await send(method, { from: 'sip:nobody@nowhere.invalid', to: `sip:1000@${domain}` })).toBe(401);
  },
);

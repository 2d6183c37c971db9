import { readFileSync } from 'node:fs';
import { connect as connectTo, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createLogger } from '@sabia/service-kit/logging';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { startTestAsterisk, type TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { createAriClient, type AriClient, type AriClientOptions } from '../src/switch/asterisk/ari-client';
import type { AriEvent } from '../src/switch/asterisk/ari-types';

const log = createLogger({ name: 'test', level: 'silent' });
let database: TestDatabase;
let asterisk: TestAsterisk;
let clients: AriClient[] = [];

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  asterisk = await startTestAsterisk(database);
}, 600_000);

afterEach(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  clients = [];
});

afterAll(async () => {
  await asterisk?.stop();
  await database?.drop();
});

function connect(options: Partial<AriClientOptions> = {}): AriClient {
  const { ariUrl: url, ariUser: user, ariPassword: password } = asterisk;
  const client = createAriClient({ url, user, password, app: 'sabia', log, onEvent: () => undefined, ...options });
  clients.push(client);
  client.start();
  return client;
}

test('reconnects by itself after a crash of Asterisk, and reports it each time', async () => {
  const told: string[] = [];
  const client = connect({
    onConnected: () => told.push('connected'),
    onDisconnected: () => told.push('disconnected'),
  });
  await eventually(() => client.isConnected);
  await asterisk.kill();
  await eventually(() => !client.isConnected);
  await expect(client.ping()).rejects.toMatchObject({ status: undefined });
  await asterisk.start();
  await eventually(() => client.isConnected);
  expect(told).toEqual(['connected', 'disconnected', 'connected']);
  expect(await client.ping()).toMatchObject({ ping: 'pong' });
});

test('an Asterisk that does not respond is not waited for', async () => {
  const client = connect({ requestTimeoutMs: 300, pingMs: 200 });
  await eventually(() => client.isConnected);
  asterisk.pause();
  try {
    // A thread that is on its way may still answer once.
    const refusal = await eventually(() =>
      client.ping().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(refusal).toMatchObject({ status: undefined });
    await eventually(() => !client.isConnected);
  } finally {
    asterisk.resume();
  }
  await eventually(() => client.isConnected);
});

/** A request for the events of the application whose sender does not wait for the response. */
async function requestInVain(): Promise<void> {
  const { hostname, port } = new URL(asterisk.ariUrl);
  const socket = connectTo(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  const { ariUser: user, ariPassword: password } = asterisk;
  const headers = [
    'GET /ari/events?app=sabia&subscribeAll=true HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
  ];
  await new Promise<void>((resolve) => socket.end(`${headers.join('\r\n')}\r\n\r\n`, resolve));
  socket.destroy();
}

/** Connections at Asterisk's end: how many hold bytes that it has not read, and how many it has not closed though the other end has. */
function unattended(): { unread: number; unclosed: number } {
  const port = Number(new URL(asterisk.ariUrl).port).toString(16).toUpperCase();
  const pattern = new RegExp(`^ *\\d+: [0-9A-F]{8}:${port} \\S+ ([0-9A-F]{2}) [0-9A-F]{8}:([0-9A-F]{8})`, 'gm');
  const rows = [...readFileSync('/proc/net/tcp', 'utf8').matchAll(pattern)];
  return {
    unread: rows.filter(([, state, queue]) => state !== '0A' && Number(`0x${queue}`) > 0).length,
    unclosed: rows.filter(([, state]) => state === '08').length,
  };
}

test('has no device states, with which an Asterisk can lock up for ever when a connection ends', async () => {
  const { ariUser: user, ariPassword: password } = asterisk;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const module = await fetch(`${asterisk.ariUrl}/asterisk/modules/res_stasis_device_state.so`, {
    headers: { authorization },
  });
  expect(module.status).toBe(404);
});

test('hears an Asterisk that finds requests of the time when it was frozen', async () => {
  for (let round = 1; round <= 3; round += 1) {
    const events: AriEvent[] = [];
    asterisk.pause();
    for (let count = 0; count < 3; count += 1) await requestInVain();
    // A request in vain may also take the application over; the driver of the switch then begins anew.
    const client = connect({ onEvent: (event) => events.push(event), onReplaced: () => client.start() });
    await eventually(() => unattended().unread >= 4);
    asterisk.resume();
    await eventually(() => unattended().unclosed === 0);
    await eventually(() => client.isConnected);
    const channelId = `after-freeze-${round}`;
    await client.originate({ endpoint: 'PJSIP/551155500101@trunk-test', channelId, timeout: 30 });
    await eventually(() => events.some(({ type }) => type === 'StasisStart'));
    await client.hangup(channelId);
    await client.stop();
  }
});

test('an application that another process took over is not taken back', async () => {
  let replaced = 0;
  const first = connect({ onReplaced: () => (replaced += 1) });
  await eventually(() => first.isConnected);
  const second = connect();
  await eventually(() => replaced === 1);
  await eventually(() => !first.isConnected);
  // It counts as connected once it has heard an event, which may come after the other has heard that it is replaced.
  await eventually(() => second.isConnected);
  expect(first.isConnected).toBe(false);
  await second.stop();
  first.start();
  await eventually(() => first.isConnected);
});

test('errors carry the status and the reason', async () => {
  const client = connect();
  await eventually(() => client.isConnected);
  await expect(client.answer('nobody')).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('/channels/nobody/answer'),
  });
  expect(await client.hangup('nobody')).toBe(false);
  expect(await client.destroyBridge('nowhere')).toBe(false);
  await expect(client.originate({ endpoint: 'PJSIP/1@nowhere', channelId: 'x' })).rejects.toMatchObject({
    status: 500,
  });
});

test('a wrong password is refused', async () => {
  const client = connect({ password: 'guess' });
  await expect(client.ping()).rejects.toMatchObject({ status: 401 });
  expect(client.isConnected).toBe(false);
});

test('passes on only events that are in use', async () => {
  const events: AriEvent[] = [];
  const client = connect({ onEvent: (event) => events.push(event) });
  await eventually(() => client.isConnected);
  const call = async (channelId: string) => {
    await client.originate({ endpoint: 'PJSIP/551155500101@trunk-test', channelId, timeout: 5 });
    await eventually(() => events.some(({ type }) => type === 'StasisStart'));
    await client.hangup(channelId);
    await eventually(() => events.some((event) => event.type === 'ChannelDestroyed' && event.channel.id === channelId));
  };
  // Before the first one ends, Asterisk has surely heard what is wanted.
  await call('first-call');
  events.length = 0;
  await call('second-call');
  expect(events.map(({ type }) => type as string)).not.toContain('ChannelVarset');
});

test('trunks can be made while Asterisk runs', async () => {
  const client = connect();
  await eventually(() => client.isConnected);
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const carrier = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (data) => {
      received.push(data.toString('utf8'));
      const reply = (name: string) => new RegExp(`^${name}:.*$`, 'm').exec(data.toString('utf8'))?.[0].trim() ?? '';
      const headers = [reply('Via'), reply('From'), `${reply('To')};tag=1`, reply('Call-ID'), reply('CSeq')];
      socket.write(['SIP/2.0 486 Busy Here', ...headers, 'Content-Length: 0', '', ''].join('\r\n'));
    });
  });
  await new Promise<void>((resolve) => carrier.listen(0, '127.0.0.1', resolve));
  const { port } = carrier.address() as AddressInfo;
  await client.putObject('aor', 'trunk-new', { contact: `sip:127.0.0.1:${port};transport=tcp` });
  await client.putObject('endpoint', 'trunk-new', {
    aors: 'trunk-new',
    allow: '!all,alaw',
    context: 'from-trunk',
    identify_by: 'ip',
  });
  await client.originate({ endpoint: 'PJSIP/551155501234@trunk-new', channelId: 'via-new-trunk', timeout: 5 });
  await eventually(() => received.some((text) => text.startsWith('INVITE sip:551155501234@127.0.0.1')));
  expect(await client.deleteObject('endpoint', 'trunk-new')).toBe(true);
  expect(await client.deleteObject('aor', 'trunk-new')).toBe(true);
  sockets.forEach((socket) => socket.destroy());
  carrier.close();
});

import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { WebSocket, WebSocketServer } from 'ws';
import { freshIp, startSetup } from './fixtures/harness';
import type { Setup, TestGateway } from './fixtures/harness';

let setup: Setup;
let gateway: TestGateway;
let asterisk: WebSocketServer;
const paths: string[] = [];
/** Passwords that reached Asterisk, by extension. */
const tried = new Map<string, string[]>();

/** Checks a password as Asterisk does. Undefined: the message has no password; empty: no response. */
function replyTo(text: string): string | undefined {
  const [, extension = '', password = ''] = /username="(\d+)".*response="(\w+)"/.exec(text) ?? [];
  if (password === '') return undefined;
  tried.set(extension, [...(tried.get(extension) ?? []), password]);
  if (password === 'unanswered') return '';
  return text.replace(/^.*/, `SIP/2.0 ${password === 'right' ? '200 OK' : '401 Unauthorized'}`);
}

beforeAll(async () => {
  const http = createServer();
  asterisk = new WebSocketServer({ server: http, handleProtocols: (protocols) => protocols.has('sip') && 'sip' });
  asterisk.on('connection', (socket, request) => {
    paths.push(request.url ?? '');
    socket.on('message', (data: Buffer, isBinary) => {
      const reply = replyTo(data.toString());
      if (reply !== '') socket.send(reply ?? data, { binary: isBinary });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  setup = await startSetup({ sipWsUrl: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws` });
  gateway = setup.gateway;
});

afterAll(async () => {
  asterisk.clients.forEach((client) => client.terminate());
  await setup.close();
  await new Promise((resolve) => asterisk.options.server?.close(resolve));
});

const wsUrl = ({ url }: TestGateway): string => url.replace('http', 'ws');

async function openPhone(url: string, ip = freshIp()): Promise<WebSocket> {
  const phone = new WebSocket(url, 'sip', { headers: { 'x-forwarded-for': ip } });
  await new Promise<void>((resolve, reject) => phone.once('open', resolve).once('error', reject));
  return phone;
}

async function refusal(url: string, ip = freshIp(), protocols = ['sip']): Promise<number | undefined> {
  const phone = new WebSocket(url, protocols, { headers: { 'x-forwarded-for': ip } });
  phone.on('error', () => undefined);
  return new Promise((resolve) =>
    phone.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
  );
}

/** Raw text, because no client library would send it. */
async function raw(target: TestGateway, text: string): Promise<string> {
  const socket: Socket = connect(Number(new URL(target.url).port), '127.0.0.1');
  let response = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (response += chunk));
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return response;
}

describe('the WebSocket for web phones', () => {
  it('passes messages to and from Asterisk', async () => {
    const phone = await openPhone(`${wsUrl(gateway)}/sip?whatever=1`);
    expect(phone.protocol).toBe('sip');
    const echo = new Promise<string>((resolve) =>
      phone.once('message', (data: Buffer) => resolve(data.toString('utf8'))),
    );
    phone.send('REGISTER sip:acme.sabia.localhost SIP/2.0');
    expect(await echo).toBe('REGISTER sip:acme.sabia.localhost SIP/2.0');
    expect(paths).toContain('/ws');
    phone.close();
    await eventually(() => asterisk.clients.size === 0);
  });

  it('leaves no connection to Asterisk behind for clients that leave early', async () => {
    const handshake = [
      ...['GET /sip HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Protocol: sip'],
      ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
    ].join('\r\n');
    for (let nth = 0; nth < 20; nth++) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      await new Promise<void>((resolve) => socket.once('connect', resolve));
      await new Promise((resolve) => socket.write(handshake, resolve));
      // At different moments, so that some leave while Redis is asked.
      for (let turn = 0; turn < nth; turn++) await new Promise(setImmediate);
      socket.resetAndDestroy();
    }
    // Connects after them, in the same way.
    (await openPhone(`${wsUrl(gateway)}/sip`)).terminate();
    await eventually(() => asterisk.clients.size === 0, { timeoutMs: 10_000 });
  });

  it('responds with 426 to a request without an upgrade', async () => {
    const response = await gateway.ask('/sip');
    expect(response).toMatchObject({ status: 426, error: { code: 'UPGRADE_REQUIRED' } });
    expect(response.headers['upgrade']).toBe('websocket');
  });

  it('is also at the root path, for clients that offer SIP', async () => {
    const phone = await openPhone(`${wsUrl(gateway)}/`);
    expect(phone.protocol).toBe('sip');
    phone.terminate();
    // Other clients get the page at that path.
    expect(await refusal(`${wsUrl(gateway)}/`, freshIp(), ['chat'])).toBe(200);
    expect(await refusal(`${wsUrl(gateway)}/`, freshIp(), [])).toBe(200);
  });

  it('has its own port if one is configured, which serves nothing else', async () => {
    const own = await setup.addGateway({ sipWsPort: 0, requestTimeoutMs: 120_000 });
    const url = own.sipUrl!;
    for (const path of ['', '/sip']) (await openPhone(url.replace('http', 'ws') + path)).terminate();
    expect(await refusal(url.replace('http', 'ws'), freshIp(), ['chat'])).toBe(426);
    expect(await own.askSip('/')).toMatchObject({ status: 426, error: { code: 'UPGRADE_REQUIRED' } });
    for (const path of ['/docs', '/healthz', '/api/v1/users/me']) {
      expect(await own.askSip(path)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    }
    const phone = await openPhone(url.replace('http', 'ws'));
    const ended = new Promise((resolve) => phone.once('close', resolve));
    await own.stopGateway();
    await ended;
    await expect(own.askSip('/')).rejects.toThrow('ECONNREFUSED');
    expect(gateway.sipUrl).toBeUndefined();
  });

  it('is at no other path', async () => {
    expect(await refusal(`${wsUrl(gateway)}/api/v1/users/me`)).toBe(401);
    expect(await refusal(`${wsUrl(gateway)}/ws`)).toBe(404);
  });

  it('is a 503 without a switch', async () => {
    const without = await setup.addGateway({ sipWsUrl: undefined });
    expect(await refusal(`${wsUrl(without)}/sip`)).toBe(503);
    expect((await without.ask('/sip')).status).toBe(503);
  });

  it('is a 503 while Asterisk is away', async () => {
    const astray = await setup.addGateway({ sipWsUrl: 'ws://127.0.0.1:9/ws' });
    expect(await refusal(`${wsUrl(astray)}/sip`)).toBe(503);
    expect((await astray.ask('/healthz')).status).toBe(200);
  });

  it('is closed when the gateway stops, without delaying it', async () => {
    const leaving = await setup.addGateway({ requestTimeoutMs: 120_000 });
    const phone = await openPhone(`${wsUrl(leaving)}/sip`);
    const ended = new Promise((resolve) => phone.once('close', resolve));
    const before = Date.now();
    await leaving.stopGateway();
    await ended;
    expect(Date.now() - before).toBeLessThan(60_000);
  });

  it('does not affect ordinary requests that offer HTTP/2, with their bodies', async () => {
    const offer = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
    const body = JSON.stringify({ email: 'ana@x.test', password: 'long enough' });
    const response = await raw(
      gateway,
      `POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\n${offer}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain('ana@x.test');
  });
});

let transactions = 0;
let extensions = 1000 + Math.floor(Math.random() * 1e9);

/** Unique, because all test files share the counts in Redis. */
const freshExtension = (): string => String((extensions += 1));

function register(extension: string, password: string, method = 'REGISTER'): string {
  const digest = `Digest username="${extension}", realm="acme", nonce="n", response="${password}"`;
  const id = (transactions += 1);
  return [
    `${method} sip:acme SIP/2.0`,
    `Via: SIP/2.0/WS x.invalid;branch=z9hG4bK${id}`,
    `Call-ID: ${id}`,
    `CSeq: 2 ${method}`,
    `Authorization: ${digest}`,
    '\r\n',
  ].join('\r\n');
}

interface Attempts {
  extension: string;
  ip: string;
  passwords: string[];
  at?: TestGateway;
}

/** Sends all attempts at once on one socket; returns the statuses, and 'closed' where the gateway closed the socket. */
async function attempt({ extension, ip, passwords, at = gateway }: Attempts): Promise<string[]> {
  const phone = await openPhone(`${wsUrl(at)}/sip`, ip);
  const statuses: string[] = [];
  const over = new Promise<void>((resolve) => {
    phone.on('message', (data: Buffer) => {
      statuses.push(data.toString().slice(8, 11));
      if (statuses.length === passwords.length) resolve();
    });
    phone.on('close', () => {
      statuses.push('closed');
      resolve();
    });
  });
  passwords.forEach((password) => phone.send(register(extension, password)));
  await over;
  phone.removeAllListeners('close').terminate();
  return statuses;
}

const wrong = (times: number): string[] => Array<string>(times).fill('wrong');
const refused = (times: number): string[] => Array<string>(times).fill('401');

describe('guessing passwords over the WebSocket', () => {
  it('ends after twenty, one by one or all at once, over all extensions and replicas', async () => {
    const [ip, extension] = [freshIp(), freshExtension()];
    const replica = await setup.addGateway();
    expect(await attempt({ extension: freshExtension(), ip, passwords: wrong(8), at: replica })).toEqual(refused(8));
    expect(await attempt({ extension, ip, passwords: [...wrong(600), 'right'] })).toEqual([...refused(12), 'closed']);
    expect(tried.get(extension)).toEqual(wrong(12));

    // Now the right password and every new connection are refused, at every replica, but not from another address.
    expect(await refusal(`${wsUrl(gateway)}/sip`, ip)).toBe(429);
    expect(await refusal(`${wsUrl(replica)}/sip`, ip)).toBe(429);
    expect(await attempt({ extension, ip: freshIp(), passwords: ['right'], at: replica })).toEqual(['200']);
  });

  it('closes the sockets that the address opened before, on their next attempt', async () => {
    const [ip, extension] = [freshIp(), freshExtension()];
    const early = await openPhone(`${wsUrl(gateway)}/sip`, ip);
    await attempt({ extension, ip, passwords: wrong(30) });
    const closed = new Promise<number>((resolve) => early.once('close', resolve));
    early.send(register(extension, 'right'));
    expect(await closed).toBe(1008);
    expect(tried.get(extension)).toEqual(wrong(20));
  });

  it('from many addresses locks the extension, except for a known web phone', async () => {
    const [home, extension] = [freshIp(), freshExtension()];
    const phone = await openPhone(`${wsUrl(gateway)}/sip`, home);
    const responses: string[] = [];
    phone.on('message', (data: Buffer) => responses.push(data.toString().slice(8, 11)));
    phone.send(register(extension, 'right'));
    await eventually(() => responses.length === 1);

    const replica = await setup.addGateway();
    for (const at of [gateway, replica, gateway, replica, gateway]) {
      await attempt({ extension, ip: freshIp(), passwords: wrong(60), at });
    }
    // Ten attempts of the third address reach Asterisk, none of the fourth and the fifth.
    expect(tried.get(extension)).toEqual(['right', ...wrong(50)]);
    expect(await attempt({ extension, ip: freshIp(), passwords: ['right'], at: replica })).toEqual(['closed']);

    phone.send(register(extension, 'right'));
    await eventually(() => responses.length === 2);
    expect(responses).toEqual(['200', '200']);
    phone.terminate();
    expect(await attempt({ extension, ip: home, passwords: ['right'], at: replica })).toEqual(['200']);
  });

  it('does not affect an office with right passwords, however many at once', async () => {
    const ip = freshIp();
    const phones = Array.from({ length: 50 }, () => attempt({ extension: freshExtension(), ip, passwords: ['right'] }));
    expect(await Promise.all(phones)).toEqual(Array<string[]>(50).fill(['200']));
  });

  it('counts attempts without a response too', async () => {
    const [ip, extension] = [freshIp(), freshExtension()];
    const passwords = [...wrong(19), 'unanswered', 'right'];
    expect(await attempt({ extension, ip, passwords })).toEqual([...refused(19), 'closed']);
    expect(tried.get(extension)).toEqual([...wrong(19), 'unanswered']);
  });

  it('is not made possible by requests whose password is not checked', async () => {
    const [ip, extension] = [freshIp(), freshExtension()];
    const phone = await openPhone(`${wsUrl(gateway)}/sip`, ip);
    const answered = new Promise((resolve) => phone.once('message', resolve));
    phone.send(register(extension, 'right', 'INFO'));
    await answered;
    phone.terminate();
    for (let nth = 0; nth < 5; nth++) await attempt({ extension, ip: freshIp(), passwords: wrong(10) });
    expect(await attempt({ extension, ip, passwords: ['right'] })).toEqual(['closed']);
  });

  it('cannot be hidden in a message with two requests', async () => {
    const phone = await openPhone(`${wsUrl(gateway)}/sip`);
    const extension = freshExtension();
    const closed = new Promise<number>((resolve) => phone.once('close', resolve));
    phone.send(register(extension, 'one') + register(extension, 'two'));
    expect(await closed).toBe(1008);
    expect(tried.has(extension)).toBe(false);
  });
});

describe('connections of one address', () => {
  it('are limited at a time, without effect on other addresses', async () => {
    const few = await setup.addGateway({ sipSocketsPerAddress: 3 });
    const ip = freshIp();
    const phones = [];
    for (let nth = 0; nth < 3; nth++) phones.push(await openPhone(`${wsUrl(few)}/sip`, ip));
    expect(await refusal(`${wsUrl(few)}/sip`, ip)).toBe(429);
    (await openPhone(`${wsUrl(few)}/sip`)).terminate();
    phones.forEach((phone) => phone.terminate());
  });

  it('are limited per minute, over all replicas', async () => {
    const few = [
      await setup.addGateway({ sipSocketsPerAddress: 5 }),
      await setup.addGateway({ sipSocketsPerAddress: 5 }),
    ];
    const ip = freshIp();
    for (let nth = 0; nth < 5; nth++) (await openPhone(`${wsUrl(few[nth % 2]!)}/sip`, ip)).terminate();
    for (const replica of few) expect(await refusal(`${wsUrl(replica)}/sip`, ip)).toBe(429);
  });
});

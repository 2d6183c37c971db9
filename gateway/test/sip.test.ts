import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { WebSocket, WebSocketServer } from 'ws';
import { freshIp, startSetup } from './fixtures/harness';
import type { Setup, TestGateway } from './fixtures/harness';

let setup: Setup;
let gateway: TestGateway;
let edge: WebSocketServer;
const paths: string[] = [];
/** The address that the edge is told of each client. */
const addresses: (string | undefined)[] = [];

beforeAll(async () => {
  const http = createServer();
  edge = new WebSocketServer({ server: http, handleProtocols: (protocols) => protocols.has('sip') && 'sip' });
  edge.on('connection', (socket, request) => {
    paths.push(request.url ?? '');
    addresses.push(request.headers['x-forwarded-for'] as string | undefined);
    socket.on('message', (data: Buffer, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  setup = await startSetup({ sipWsUrls: [`ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`] });
  gateway = setup.gateway;
});

afterAll(async () => {
  edge.clients.forEach((client) => client.terminate());
  await setup.close();
  await new Promise((resolve) => edge.options.server?.close(resolve));
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
  it('passes messages to and from an edge, which is told who the client is', async () => {
    const ip = freshIp();
    const phone = await openPhone(`${wsUrl(gateway)}/sip?whatever=1`, ip);
    expect(phone.protocol).toBe('sip');
    expect(addresses.at(-1)).toBe(ip);
    const echo = new Promise<string>((resolve) =>
      phone.once('message', (data: Buffer) => resolve(data.toString('utf8'))),
    );
    phone.send('REGISTER sip:acme.sabia.localhost SIP/2.0');
    expect(await echo).toBe('REGISTER sip:acme.sabia.localhost SIP/2.0');
    expect(paths).toContain('/ws');
    phone.close();
    await eventually(() => edge.clients.size === 0);
  });

  it('leaves no connection to an edge behind for clients that leave early', async () => {
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
    await eventually(() => edge.clients.size === 0);
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
    const without = await setup.addGateway({ sipWsUrls: [] });
    expect(await refusal(`${wsUrl(without)}/sip`)).toBe(503);
    expect((await without.ask('/sip')).status).toBe(503);
  });

  it('is a 503 while no edge is there', async () => {
    const astray = await setup.addGateway({ sipWsUrls: ['ws://127.0.0.1:9/ws'] });
    expect(await refusal(`${wsUrl(astray)}/sip`)).toBe(503);
    expect((await astray.ask('/healthz')).status).toBe(200);
  });

  it('goes to another edge if one is away, and lasts as long as its edge', async () => {
    const own = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'sip' });
    await new Promise((resolve) => own.once('listening', resolve));
    const url = `ws://127.0.0.1:${(own.address() as AddressInfo).port}/`;
    const several = await setup.addGateway({ sipWsUrls: ['ws://127.0.0.1:9/', url] });
    const phones = [];
    for (let nth = 0; nth < 4; nth++) phones.push(await openPhone(`${wsUrl(several)}/sip`));
    const ended = phones.map((phone) => new Promise((resolve) => phone.once('close', resolve)));
    own.clients.forEach((client) => client.terminate());
    await Promise.all(ended);
    own.close();
  });

  it('is a 429 for a client that the edge has banned, whatever other edges there are', async () => {
    const http = createServer((_request, response) => response.writeHead(403).end());
    http.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const banning = await setup.addGateway({ sipWsUrls: [`ws://127.0.0.1:${(http.address() as AddressInfo).port}/`] });
    expect(await refusal(`${wsUrl(banning)}/sip`)).toBe(429);
    http.close();
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

import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { WebSocket, WebSocketServer } from 'ws';
import { openHouse } from './fixtures/harness';
import type { House, TestGateway } from './fixtures/harness';

let house: House;
let gateway: TestGateway;
let asterisk: WebSocketServer;
const paths: string[] = [];

beforeAll(async () => {
  const http = createServer();
  asterisk = new WebSocketServer({ server: http, handleProtocols: (protocols) => protocols.has('sip') && 'sip' });
  asterisk.on('connection', (socket, request) => {
    paths.push(request.url ?? '');
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  house = await openHouse({ sipWsUrl: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws` });
  gateway = house.gateway;
});

afterAll(async () => {
  asterisk.clients.forEach((client) => client.terminate());
  await house.close();
  await new Promise((resolve) => asterisk.options.server?.close(resolve));
});

const wsUrl = ({ url }: TestGateway): string => url.replace('http', 'ws');

async function openPhone(url: string): Promise<WebSocket> {
  const phone = new WebSocket(url, 'sip');
  await new Promise<void>((resolve, reject) => phone.once('open', resolve).once('error', reject));
  return phone;
}

async function refusal(url: string): Promise<number | undefined> {
  const phone = new WebSocket(url, 'sip');
  phone.on('error', () => undefined);
  return new Promise((resolve) => phone.once('unexpected-response', (_request, answer) => resolve(answer.statusCode)));
}

/** As it stands on the wire, since no client would send it. */
async function raw(target: TestGateway, text: string): Promise<string> {
  const socket: Socket = connect(Number(new URL(target.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

describe('the WebSocket for web phones', () => {
  it('is the one of Asterisk, in both directions', async () => {
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

  it('asks for an upgrade where there is none', async () => {
    const answer = await gateway.ask('/sip');
    expect(answer).toMatchObject({ status: 426, error: { code: 'UPGRADE_REQUIRED' } });
    expect(answer.headers['upgrade']).toBe('websocket');
  });

  it('is nowhere else', async () => {
    expect(await refusal(`${wsUrl(gateway)}/api/v1/users/me`)).toBe(401);
    expect(await refusal(`${wsUrl(gateway)}/ws`)).toBe(404);
  });

  it('is a 503 where there is no switch', async () => {
    const without = await house.addGateway({ sipWsUrl: undefined });
    expect(await refusal(`${wsUrl(without)}/sip`)).toBe(503);
    expect((await without.ask('/sip')).status).toBe(503);
  });

  it('is a 503 while Asterisk is away', async () => {
    const astray = await house.addGateway({ sipWsUrl: 'ws://127.0.0.1:9/ws' });
    expect(await refusal(`${wsUrl(astray)}/sip`)).toBe(503);
    expect((await astray.ask('/healthz')).status).toBe(200);
  });

  it('ends when the gateway does, which does not wait for it', async () => {
    const leaving = await house.addGateway({ requestTimeoutMs: 120_000 });
    const phone = await openPhone(`${wsUrl(leaving)}/sip`);
    const ended = new Promise((resolve) => phone.once('close', resolve));
    const before = Date.now();
    await leaving.stopGateway();
    await ended;
    expect(Date.now() - before).toBeLessThan(60_000);
  });

  it('leaves requests alone that offer to speak HTTP/2, with their bodies', async () => {
    const offer = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
    const body = JSON.stringify({ email: 'ana@x.test', password: 'long enough' });
    const answer = await raw(
      gateway,
      `POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\n${offer}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('ana@x.test');
  });
});

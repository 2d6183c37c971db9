import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { ConfigError } from '@sabia/service-kit/config';
import { eventually } from '@sabia/testkit/eventually';
import { generate } from 'selfsigned';
import { WebSocket, WebSocketServer } from 'ws';
import { loadConfig } from '../src/config';
import type { TlsFiles } from '../src/http/tls-files';
import { startSetup } from './fixtures/harness';
import type { Setup, TestGateway } from './fixtures/harness';

let setup: Setup;
let gateway: TestGateway;
let tls: TlsFiles;
let asterisk: WebSocketServer;

beforeAll(async () => {
  tls = await certificate();
  const http = createServer();
  asterisk = new WebSocketServer({ server: http, handleProtocols: (protocols) => protocols.has('sip') && 'sip' });
  asterisk.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  setup = await startSetup({
    tls,
    sipWsPort: 0,
    sipWsUrls: [`ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`],
  });
  gateway = setup.gateway;
});

afterAll(async () => {
  asterisk.clients.forEach((client) => client.terminate());
  await setup.close();
  await new Promise((resolve) => asterisk.options.server?.close(resolve));
});

async function certificate(): Promise<TlsFiles> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'sabia.test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}

const portOf = ({ url }: TestGateway): number => Number(new URL(url).port);

const phoneAt = (url: string): WebSocket => new WebSocket(url.replace('https', 'wss'), 'sip', { ca: tls.cert });
const phoneOf = ({ url }: TestGateway): WebSocket => phoneAt(`${url}/sip`);

/** Everything received until the other side closes. */
async function raw(target: TestGateway, text: string, encrypted: boolean): Promise<string> {
  const options = { port: portOf(target), host: '127.0.0.1' };
  const socket = encrypted ? connectTls({ ...options, ca: tls.cert }) : connect(options);
  let response = '';
  socket.on('data', (chunk: Buffer) => (response += chunk.toString('latin1'))).on('error', () => undefined);
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return response;
}

describe('with a certificate', () => {
  it('pages and the API are served over HTTPS', async () => {
    expect(await gateway.ask('/healthz')).toMatchObject({ status: 200, json: { status: 'alive' } });
    const login = await gateway.ask('/api/v1/users/login', { json: { email: 'ana@x.test', password: 'long enough' } });
    expect(login.status).toBe(200);
    expect(login.text).toContain('ana@x.test');
    expect((await gateway.ask('/api/v1/users/me')).status).toBe(401);
  });

  it('a body that waits for 100 Continue is invited', async () => {
    const sent = request(`${gateway.url}/api/v1/users/login`, {
      method: 'POST',
      ca: tls.cert,
      agent: false,
      headers: { expect: '100-continue', 'content-type': 'application/json' },
    });
    const response = new Promise<IncomingMessage>((resolve, reject) =>
      sent.once('response', resolve).once('error', reject),
    );
    sent.once('continue', () => sent.end(JSON.stringify({ email: 'ana@x.test', password: 'long enough' })));
    sent.flushHeaders();
    const { statusCode } = (await response).resume();
    expect(statusCode).toBe(200);
  });

  it('web phones have wss', async () => {
    const phone = phoneOf(gateway);
    await new Promise<void>((resolve, reject) => phone.once('open', resolve).once('error', reject));
    const echo = new Promise<string>((resolve) =>
      phone.once('message', (data: Buffer) => resolve(data.toString('utf8'))),
    );
    phone.send('REGISTER sip:acme.sabia.localhost SIP/2.0');
    expect(await echo).toBe('REGISTER sip:acme.sabia.localhost SIP/2.0');
    phone.close();
    await eventually(() => asterisk.clients.size === 0);
  });

  it('web phones have wss on their own port', async () => {
    const phone = phoneAt(gateway.sipUrl!);
    await new Promise<void>((resolve, reject) => phone.once('open', resolve).once('error', reject));
    phone.terminate();
  });

  it('web phones get a 503 while Asterisk is away', async () => {
    const phone = phoneOf(await setup.addGateway({ sipWsUrls: ['ws://127.0.0.1:9/ws'] }));
    phone.on('error', () => undefined);
    const status = new Promise((resolve) =>
      phone.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    expect(await status).toBe(503);
  });

  it('invalid HTTP inside of TLS gets an error body', async () => {
    const response = await raw(gateway, 'nonsense\r\n\r\n', true);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('BAD_REQUEST');
  });

  it('plain HTTP and noise are disconnected without effect on others', async () => {
    expect(await raw(gateway, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', false)).not.toContain('alive');
    await raw(gateway, '\x00\x01\x02 noise\r\n\r\n', false);
    expect((await gateway.ask('/healthz')).status).toBe(200);
  });

  it('a handshake that does not end is disconnected', async () => {
    const impatient = await setup.addGateway({ requestTimeoutMs: 2_000 });
    expect(await raw(impatient, '\x16', false)).toBe('');
    expect((await impatient.ask('/healthz')).status).toBe(200);
  });
});

describe('a gateway with a certificate that stops', () => {
  it('finishes running requests', async () => {
    const leaving = await setup.addGateway();
    const { token } = setup.fake.addToken();
    const running = leaving.ask('/api/v1/tools/7?fault=nap', { token, headers: { 'x-request-id': 'tls-runner' } });
    await eventually(() => setup.fake.received.some(({ context }) => context.requestId === 'tls-runner'));
    const stopped = leaving.stopGateway();
    setup.fake.wake();
    const [response] = await Promise.all([running, stopped]);
    expect(response.status).toBe(200);
    await expect(leaving.ask('/healthz')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('waits neither for web phones nor for silent connections', async () => {
    const leaving = await setup.addGateway({ requestTimeoutMs: 120_000 });
    const phone = phoneOf(leaving);
    await new Promise<void>((resolve, reject) => phone.once('open', resolve).once('error', reject));
    const options = { port: portOf(leaving), host: '127.0.0.1' };
    const silent = connect(options);
    const shaken = connectTls({ ...options, ca: tls.cert });
    await new Promise((resolve) => shaken.once('session', resolve));
    const ended = [phone, silent, shaken].map((end) => new Promise<void>((resolve) => end.once('close', resolve)));
    silent.resume().on('error', () => undefined);
    shaken.resume().on('error', () => undefined);
    const before = Date.now();
    await leaving.stopGateway();
    await Promise.all(ended);
    expect(Date.now() - before).toBeLessThan(60_000);
  });
});

describe('the files of the certificate', () => {
  let folder: string;
  let files: { TLS_CERT_FILE: string; TLS_KEY_FILE: string };
  const environment = {
    NATS_URL: 'nats://127.0.0.1:4222',
    REDIS_URL: 'redis://127.0.0.1:6379',
    IDENTITY_ADDRESS: 'identity:50051',
    EXTENSIONS_ADDRESS: 'extensions:50051',
    TELEPHONY_ADDRESS: 'telephony:50051',
    BILLING_ADDRESS: 'billing:50051',
    WEBHOOK_ADDRESS: 'webhook:50051',
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sabia-tls-'));
    files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
    await writeFile(files.TLS_CERT_FILE, tls.cert);
    await writeFile(files.TLS_KEY_FILE, tls.key);
    await writeFile(join(folder, 'other.pem'), (await certificate()).key);
  });

  afterAll(() => rm(folder, { recursive: true }));

  function problemsOf(variables: NodeJS.ProcessEnv): string {
    try {
      loadConfig({ ...environment, ...variables });
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).message;
    }
    return 'none';
  }

  it('are read', () => {
    expect(loadConfig({ ...environment, ...files })).toMatchObject({ tls, publicUrl: 'https://localhost:8080' });
    expect(loadConfig({ ...environment, TLS_CERT_FILE: '', TLS_KEY_FILE: '' }).tls).toBeUndefined();
  });

  it('must be configured together', () => {
    expect(problemsOf({ TLS_CERT_FILE: files.TLS_CERT_FILE })).toMatch(/TLS_CERT_FILE .*TLS_KEY_FILE has to be set/);
    expect(problemsOf({ TLS_KEY_FILE: files.TLS_KEY_FILE })).toMatch(/TLS_KEY_FILE .*TLS_CERT_FILE has to be set/);
    expect(problemsOf({ ...files, TLS_KEY_FILE: join(folder, 'other.pem') })).toMatch(/TLS_KEY_FILE is not the key/);
  });

  it('must exist and have the right content', () => {
    const missing = problemsOf({ TLS_CERT_FILE: join(folder, 'none.pem'), TLS_KEY_FILE: folder });
    expect(missing).toMatch(/TLS_CERT_FILE .*cannot be read \(ENOENT\)[\s\S]*TLS_KEY_FILE .*cannot be read \(EISDIR\)/);
    expect(missing).not.toContain(folder);
    const swapped = problemsOf({ TLS_CERT_FILE: files.TLS_KEY_FILE, TLS_KEY_FILE: files.TLS_CERT_FILE });
    expect(swapped).toMatch(/TLS_CERT_FILE .*a certificate in PEM[\s\S]*TLS_KEY_FILE .*a private key in PEM/);
  });
});

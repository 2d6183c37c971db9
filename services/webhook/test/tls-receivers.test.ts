import { createSecureServer } from 'node:http2';
import { createServer as createHttp1Server } from 'node:https';
import type { Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { generate } from 'selfsigned';
import { callEvent, deliveriesOf, deliveryWhen, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';

const day = 24 * 60 * 60 * 1000;

interface KeyPair {
  key: string;
  cert: string;
}

interface SecureReceiver {
  url: string;
  /** The HTTP version of each request. */
  versions: string[];
  connections: number;
  close(): Promise<void>;
}

let home: Home;
let service: RunningWebhook;
let authority: KeyPair;
const receivers: SecureReceiver[] = [];

beforeAll(async () => {
  home = await openHome();
  authority = await issue({
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  service = await home.start({ ca: authority.cert });
});

afterAll(async () => {
  await service?.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await home?.close();
});

async function issue(options: NonNullable<Parameters<typeof generate>[1]>): Promise<KeyPair> {
  const name = options.ca === undefined ? 'Sabiá test authority' : 'receiver';
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...options,
  });
  return { cert, key };
}

const certificate = (ip: string, validUntil = Date.now() + day): Promise<KeyPair> =>
  issue({
    ca: authority,
    notBeforeDate: new Date(validUntil - 2 * day),
    notAfterDate: new Date(validUntil),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  });

type Listener = (
  request: { httpVersion: string; resume(): unknown; on(name: 'end', listener: () => void): unknown },
  response: { writeHead(status: number): unknown; end(text: string): unknown },
) => void;

async function openSecureReceiver(pair: KeyPair, version: '1.1' | '2.0' = '2.0'): Promise<SecureReceiver> {
  const onRequest: Listener = (request, response) => {
    receiver.versions.push(request.httpVersion);
    request.resume();
    request.on('end', () => {
      response.writeHead(200);
      response.end('ok');
    });
  };
  const server: Server = version === '2.0' ? createSecureServer(pair, onRequest) : createHttp1Server(pair, onRequest);
  const sockets = new Set<{ destroy(): void }>();
  const receiver: SecureReceiver = {
    url: '',
    versions: [],
    connections: 0,
    async close() {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('secureConnection', (socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  receivers.push(receiver);
  return receiver;
}

test.each([
  ['is signed by itself', () => issue({}), 'The certificate is self-signed. (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  [
    'is for another host',
    () => certificate('192.0.2.7'),
    'The certificate is for another host. (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
  ['has expired', () => certificate('127.0.0.1', Date.now() - day), 'The certificate has expired. (CERT_HAS_EXPIRED)'],
])(
  'a certificate that %s: nothing is sent, the reason shows, and a good one beside it is served',
  async (_what, make, error) => {
    const bad = await openSecureReceiver(await make());
    const good = await openSecureReceiver(await certificate('127.0.0.1'));
    const { ana, accountId } = newAccount();
    const webhooks = service.as(ana);
    const { id: badId } = await integrate(webhooks, bad.url, { gateway: 'bad' });
    const { id: goodId } = await integrate(webhooks, good.url, { gateway: 'good' });
    await home.tell(callEvent('ended', { accountId }));
    const refused = await deliveryWhen(webhooks, badId, ({ attempts }) => attempts.length > 0);
    expect(refused).toMatchObject({ status: 'retrying', reason: error, attempts: [{ status: undefined, error }] });
    expect(bad.versions).toEqual([]);
    await deliveryWhen(webhooks, goodId, ({ status }) => status === 'delivered');
  },
);

test('HTTP/2 where the receiver speaks it: many requests share a connection', async () => {
  const receiver = await openSecureReceiver(await certificate('127.0.0.1'));
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url);
  await home.tell(callEvent('ended', { accountId }));
  await deliveryWhen(webhooks, id, ({ status }) => status === 'delivered');
  await home.tell(...Array.from({ length: 50 }, () => callEvent('ended', { accountId })));
  await eventually(async () => (await deliveriesOf(webhooks, id, { status: 'delivered' })).length >= 50);
  expect(new Set(receiver.versions)).toEqual(new Set(['2.0']));
  // The one that found out the protocol, and the few that share the other requests.
  expect(receiver.connections).toBeLessThanOrEqual(3);
  const [delivery] = await deliveriesOf(webhooks, id);
  expect(delivery!.attempts).toMatchObject([{ status: 200, answer: 'ok' }]);
});

test('HTTP/1.1 over TLS where the receiver speaks nothing else', async () => {
  const receiver = await openSecureReceiver(await certificate('127.0.0.1'), '1.1');
  const { ana, accountId } = newAccount();
  const { id } = await integrate(service.as(ana), receiver.url);
  await home.tell(callEvent('ended', { accountId }));
  await deliveryWhen(service.as(ana), id, ({ status }) => status === 'delivered');
  expect(receiver.versions).toEqual(['1.1']);
});

test('HTTP/1.1: one after the other, all over the same connection', async () => {
  const receiver = await openReceiver();
  try {
    const { ana, accountId } = newAccount();
    const webhooks = service.as(ana);
    await integrate(webhooks, receiver.url);
    for (let sent = 1; sent <= 5; sent += 1) {
      await home.tell(callEvent('ended', { accountId }));
      await eventually(() => receiver.received.length === sent);
    }
    expect(new Set(receiver.received.map(({ port }) => port)).size).toBe(1);
  } finally {
    await receiver.close();
  }
});

import type { LookupAddress } from 'node:dns';
import { refusal } from '@sabia/testkit/refused-rpc';
import { callEvent, deliveryWhen, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';
import type { Receiver } from './receiver';

let home: Home;
let strict: RunningWebhook;
let receiver: Receiver;
let answers: LookupAddress[][] = [];

beforeAll(async () => {
  home = await openHome();
  receiver = await openReceiver();
  strict = await home.start({
    allowPrivate: false,
    timeoutMs: 2_000,
    // The DNS of an attacker: a new answer each time, the last one for ever.
    lookup: (_name, _options, callback) => {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      callback(null, answer ?? []);
    },
  });
});

afterAll(async () => {
  await strict?.stop();
  await receiver?.close();
  await home?.close();
});

const refused = (host: string) => `Not sent: ${host} does not resolve to public addresses only.`;

const port = () => new URL(receiver.url).port;

async function attemptAt(host: string) {
  const { ana, accountId } = newAccount();
  const { id } = await integrate(strict.as(ana), `http://${host}:${port()}/hook`);
  await home.tell(callEvent('ended', { accountId }));
  return deliveryWhen(strict.as(ana), id, ({ attempts }) => attempts.length > 0);
}

test('a private host is refused when it is configured', async () => {
  const { ana } = newAccount();
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '169.254.169.254']) {
    const { codes } = await refusal(integrate(strict.as(ana), `http://${host}/`));
    expect(codes).toEqual({ 'metadata.webhookUrl': 'exclusion' });
  }
});

test.each([
  ['127.0.0.1', 4],
  ['::1', 6],
  ['::ffff:127.0.0.1', 6],
  ['169.254.169.254', 4],
  ['64:ff9b::7f00:1', 6],
])(
  'a public name that resolves to %s is refused when it is connected to; the reason names the host, not the address',
  async (address, family) => {
    answers = [[{ address, family }]];
    const delivery = await attemptAt('hooks.example.com');
    expect(delivery.attempts[0]!.error).toBe(refused('hooks.example.com'));
    expect(JSON.stringify(delivery)).not.toContain(address);
    expect(delivery.status).toBe('retrying');
    expect(receiver.received).toHaveLength(0);
  },
);

test('one private address among public ones is enough', async () => {
  answers = [
    [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
  ];
  expect((await attemptAt('mixed.example.com')).attempts[0]!.error).toBe(refused('mixed.example.com'));
  expect(receiver.received).toHaveLength(0);
});

test('an answer that flips from public to private between two attempts is refused the second time', async () => {
  answers = [[{ address: '198.51.100.1', family: 4 }]];
  const { ana, accountId } = newAccount();
  const webhooks = strict.as(ana);
  const { id } = await integrate(webhooks, `http://flip.example.com:${port()}/hook`);
  await home.tell(callEvent('ended', { accountId }));
  await deliveryWhen(webhooks, id, ({ attempts }) => attempts.length > 0);
  answers = [[{ address: '127.0.0.1', family: 4 }]];
  await home.sql.query('UPDATE delivery_queue SET due_at = now() WHERE integration_id = $1', [id]);
  const delivery = await deliveryWhen(webhooks, id, ({ attempts }) => attempts.length > 1);
  expect(delivery.attempts[1]!.error).toBe(refused('flip.example.com'));
  expect(receiver.received).toHaveLength(0);
});

test('an answer that flips after it was checked is refused by the address of the connection itself', async () => {
  let reads = 0;
  // Public when the guard looks at it, private when the socket is opened.
  const flipping = {
    family: 4,
    get address() {
      reads += 1;
      return reads === 1 ? '8.8.8.8' : '127.0.0.1';
    },
  };
  answers = [[flipping]];
  const delivery = await attemptAt('flips-late.example.com');
  expect(reads).toBeGreaterThan(1);
  expect(delivery.attempts[0]!.error).toBe(refused('flips-late.example.com'));
  expect(delivery.reason).toBe(delivery.attempts[0]!.error);
  expect(receiver.received).toHaveLength(0);
});

test('a user in the URL hides no host, and is refused', async () => {
  const { ana } = newAccount();
  for (const url of ['http://example.com@127.0.0.1/', 'http://user:pass@hooks.example.com/']) {
    const { codes } = await refusal(integrate(strict.as(ana), url));
    expect(codes).toEqual({ 'metadata.webhookUrl': 'format' });
  }
});

test('an address that was stored before the guard existed is refused, too', async () => {
  const { ana, accountId } = newAccount();
  const { id } = await integrate(strict.as(ana), 'http://hooks.example.com/');
  await home.sql.query(
    `UPDATE integrations SET settings = jsonb_set(settings, '{url}', to_jsonb($2::text)) WHERE id = $1`,
    [id, receiver.url],
  );
  await home.tell(callEvent('ended', { accountId }));
  const delivery = await deliveryWhen(strict.as(ana), id, ({ attempts }) => attempts.length > 0);
  expect(delivery.attempts[0]!.error).toBe('Not sent: 127.0.0.1 is not a public address.');
  expect(receiver.received).toHaveLength(0);
});

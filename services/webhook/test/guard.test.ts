import type { LookupAddress } from 'node:dns';
import { callEvent, deliveryWhen, integrate, newAccount, openHome, refusal } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';
import type { Receiver } from './receiver';

jest.setTimeout(60_000);

let home: Home;
let strict: RunningWebhook;
let receiver: Receiver;
let answers: LookupAddress[][] = [];

beforeAll(async () => {
  home = await openHome();
  receiver = await openReceiver();
  strict = await home.start({
    allowPrivate: false,
    // The DNS of an attacker: another answer each time, the last one for ever.
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
  'a public name that resolves to %s is refused when it is connected to, and the reason shows',
  async (address, family) => {
    answers = [[{ address, family }]];
    const delivery = await attemptAt('hooks.example.com');
    expect(delivery.attempts[0]!.error).toBe(
      `Not sent: hooks.example.com is ${address}, which is not a public address.`,
    );
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
  expect((await attemptAt('mixed.example.com')).attempts[0]!.error).toContain('127.0.0.1');
  expect(receiver.received).toHaveLength(0);
});

test('an answer that flips gains nothing: the address that is connected to is the one that was checked', async () => {
  answers = [[{ address: '192.0.2.1', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
  const delivery = await attemptAt('flip.example.com');
  expect(delivery.attempts[0]!.error).toContain('192.0.2.1');
  expect(receiver.received).toHaveLength(0);
});

test('an address that came into the database before the guard was there is refused too', async () => {
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

import { eventually } from '@sabia/testkit/eventually';
import { callEvent, deliveryWhen, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';
import type { Answer, Receiver } from './receiver';

/** The time limit of a request: as short as a busy machine allows whose receivers are to answer in time. */
const SECONDS = 5;
const TOO_LATE = `No answer within ${SECONDS} seconds.`;

let home: Home;
let service: RunningWebhook;
let receivers: Receiver[] = [];

beforeAll(async () => {
  home = await openHome();
  service = await home.start({ timeoutMs: SECONDS * 1_000 });
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  receivers = [];
});

/** The first attempt to deliver an event to a receiver that answers like this. */
async function firstAttempt(answer: Answer) {
  const receiver = await openReceiver(answer);
  receivers.push(receiver);
  const { ana, accountId } = newAccount();
  const { id } = await integrate(service.as(ana), receiver.url);
  await home.tell(callEvent('ended', { accountId }));
  const { attempts } = await deliveryWhen(service.as(ana), id, (delivery) => delivery.attempts.length > 0);
  return attempts[0];
}

test('no answer and a status that drips in are too late; a body that drips in does not matter', async () => {
  const [never, slowStatus, slowBody] = await Promise.all([
    firstAttempt(() => undefined),
    firstAttempt((_request, _response, socket) => {
      const text = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
      [...text].forEach((letter, index) => setTimeout(() => socket.write(letter), 500 * index).unref());
    }),
    firstAttempt((_request, response) => {
      response.writeHead(200);
      response.write('a');
      setInterval(() => response.write('b'), 300).unref();
    }),
  ]);
  expect(never).toMatchObject({ status: undefined, error: TOO_LATE });
  expect(slowStatus).toMatchObject({ status: undefined, error: TOO_LATE });
  expect(slowBody).toMatchObject({ status: 200 });
});

test('one receiver that hangs does not delay another', async () => {
  const dead = await openReceiver(() => undefined);
  const good = await openReceiver();
  receivers.push(dead, good);
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  await integrate(webhooks, dead.url, { gateway: 'dead' });
  await integrate(webhooks, good.url, { gateway: 'good' });
  await home.tell(...Array.from({ length: 300 }, () => callEvent('ended', { accountId })));
  // On a busy machine a request may time out and come again.
  const arrived = () => new Set(good.received.map(({ headers }) => headers['webhook-id'])).size;
  await eventually(() => arrived() === 300, { intervalMs: 20 });
  // Only the requests that were sent to the dead receiver before its circuit opened.
  expect(dead.received.length).toBeLessThanOrEqual(128);
});

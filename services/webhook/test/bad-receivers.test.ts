import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Delivery } from '@sabia/protos/sabia/webhook/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { callEvent, deliveriesOf, deliveryWhen, integrate, movableClock, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';
import { answerWith, openReceiver } from './receiver';
import type { Answer, Receiver } from './receiver';

const clock = movableClock();
let home: Home;
let service: RunningWebhook;
let receivers: Receiver[] = [];

beforeAll(async () => {
  home = await openHome();
  service = await home.start({ now: clock.now });
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  receivers = [];
});

const tried = (delivery: Delivery): boolean => delivery.attempts.length > 0;

/** A receiver that answers like this, an integration that sends to it, and one event on its way. */
async function send(answer: Answer) {
  const receiver = await openReceiver(answer);
  receivers.push(receiver);
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url);
  await home.tell(callEvent('ended', { accountId }));
  return { receiver, webhooks, id, accountId, ana, first: await deliveryWhen(webhooks, id, tried) };
}

const waitOf = ({ attempts, nextAttemptAt }: Delivery): number =>
  (nextAttemptAt!.getTime() - attempts.at(-1)!.at!.getTime()) / 1000;

test('500: tried again after about 5 seconds under the same webhook-id, with a new timestamp', async () => {
  const { receiver, webhooks, id, first } = await send(answerWith(500, {}, 'x'.repeat(3000)));
  expect(first).toMatchObject({
    status: 'retrying',
    reason: 'The receiver answered 500.',
    attempts: [{ status: 500 }],
  });
  expect(first.attempts[0]!.answer).toBe('x'.repeat(1024));
  expect(waitOf(first)).toBeGreaterThan(4.4);
  expect(waitOf(first)).toBeLessThan(30);

  receiver.answer = answerWith(200);
  clock.forward(6_000);
  const done = await deliveryWhen(webhooks, id, ({ status }) => status === 'delivered');
  expect(done.attempts.map(({ status }) => status)).toEqual([500, 200]);
  const [one, two] = receiver.received;
  expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
  expect(two!.headers['webhook-timestamp']).not.toBe(one!.headers['webhook-timestamp']);
  expect(two!.body).toBe(one!.body);
});

test('every attempt tells the receiver the trace of the event, where that is kept', async () => {
  const receiver = await openReceiver(answerWith(500));
  receivers.push(receiver);
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url);
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await home.tell({ ...callEvent('ended', { accountId }), trace: { traceparent } });
  await deliveryWhen(webhooks, id, tried);
  receiver.answer = answerWith(200);
  clock.forward(6_000);
  await deliveryWhen(webhooks, id, ({ status }) => status === 'delivered');
  expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual([traceparent, traceparent]);

  await home.tell({
    ...callEvent('ended', { accountId }),
    trace: { traceparent: traceparent.replace(/01$/, '00') },
  });
  await eventually(() => receiver.received.length === 3);
  expect(receiver.received[2]!.headers).not.toHaveProperty('traceparent');
});

test('429 with Retry-After: not before that time', async () => {
  const { receiver, first } = await send(answerWith(429, { 'retry-after': '90' }));
  expect(waitOf(first)).toBeGreaterThanOrEqual(90);
  expect(waitOf(first)).toBeLessThan(120);
  expect(receiver.received).toHaveLength(1);
});

test('302: a failure that is not followed', async () => {
  const target = await openReceiver();
  receivers.push(target);
  const { first } = await send(answerWith(302, { location: target.url }));
  expect(first).toMatchObject({ status: 'retrying', attempts: [{ status: 302 }] });
  expect(first.reason).toBe('The receiver answered 302; redirects are not followed.');
  expect(target.received).toHaveLength(0);
});

test('410: the webhook is disabled, with a reason and an event, and nothing is sent until it is enabled again', async () => {
  const { receiver, webhooks, id, accountId, first } = await send(answerWith(410));
  expect(first).toMatchObject({ status: 'dead', reason: 'The receiver answered 410 Gone.' });
  const { integrations } = await webhooks.listIntegrations({});
  expect(integrations).toMatchObject([{ id, disabledReason: 'The receiver answered 410 Gone.' }]);
  const events = await home.sql.query('SELECT 1 FROM outbox WHERE type = $1 AND account_id = $2', [
    'webhook.integration.disabled',
    accountId,
  ]);
  expect(events).toHaveLength(1);

  await home.tell(callEvent('ended', { accountId }));
  const [unsent] = await deliveriesOf(webhooks, id, { status: 'not-matched' });
  expect(unsent!.reason).toBe('The webhook is disabled: The receiver answered 410 Gone.');

  receiver.answer = answerWith(200);
  const { integration } = await webhooks.upsertIntegration({ id, webhook: true });
  expect(integration!.disabledReason).toBeUndefined();
  await webhooks.replayDeliveries({ id });
  await eventually(() => receiver.received.length === 2);
});

test('deliveries of a disabled webhook are given up, and other webhooks do not wait for that', async () => {
  const { receiver, webhooks, id, accountId } = await send(answerWith(500));
  const [waiting] = await deliveriesOf(webhooks, id);
  await home.sql.query(`UPDATE delivery_queue SET due_at = due_at + interval '1 hour' WHERE integration_id = $1`, [id]);
  receiver.answer = answerWith(410);
  await home.sql.transaction(async (tx) => {
    await tx.query('SELECT FROM delivery_queue WHERE delivery_id = $1 FOR UPDATE', [waiting!.id]);
    await home.tell(callEvent('ended', { accountId }));
    await eventually(async () => (await webhooks.listIntegrations({})).integrations[0]?.disabledReason !== undefined);
    expect((await send(answerWith(200))).first.status).toBe('delivered');
  });
  await webhooks.upsertIntegration({ id, webhook: true });
  await home.sql.query(
    `WITH again AS (
       UPDATE delivery_log SET status = 'retrying', finished_at = NULL WHERE integration_id = $1 RETURNING *
     ), revived AS (
       DELETE FROM dead_deliveries WHERE integration_id = $1
     )
     INSERT INTO delivery_queue (delivery_id, integration_id, position, status, attempt_count, due_at, created_at)
     SELECT id, integration_id, position, status, 1, now() + interval '1 hour', created_at FROM again
     ON CONFLICT (delivery_id) DO NOTHING`,
    [id],
  );
  await home.tell(callEvent('ended', { accountId }));
  const given = await eventually(async () => {
    const dead = await deliveriesOf(webhooks, id, { status: 'dead' });
    return dead.find((delivery) => delivery.id === waiting!.id);
  });
  expect(given.reason).toBe('The webhook was disabled: The receiver answered 410 Gone.');
});

test('a reset connection', async () => {
  const { first } = await send((_request, _response, socket) => socket.resetAndDestroy());
  expect(first).toMatchObject({ status: 'retrying' });
  expect(first.attempts[0]!.error).toMatch(/^The connection was (reset|closed)/);
});

test('a refused connection', async () => {
  const { ana, accountId } = newAccount();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { id } = await integrate(service.as(ana), `http://127.0.0.1:${port}/`);
  await home.tell(callEvent('ended', { accountId }));
  const first = await deliveryWhen(service.as(ana), id, tried);
  expect(first.attempts[0]!.error).toBe('The connection was refused. (ECONNREFUSED)');
});

test('an answer without end is cut', async () => {
  let written = 0;
  const { first } = await send((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'z');
    const pour = (): void => {
      while (!response.destroyed && written < 1024 ** 3 && response.write(chunk)) {
        written += chunk.length;
      }
    };
    response.on('drain', pour).writeHead(200);
    pour();
  });
  expect(first).toMatchObject({ status: 'delivered', attempts: [{ answer: 'z'.repeat(1024) }] });
  expect(written).toBeLessThan(100 * 1024 ** 2);
});

test('five days of nothing but failures disable the webhook', async () => {
  const { webhooks, id, accountId } = await send(answerWith(500));
  await home.sql.query(`UPDATE integrations SET failing_since = failing_since - interval '5 days' WHERE id = $1`, [id]);
  await home.sql.query('UPDATE delivery_queue SET due_at = now() WHERE integration_id = $1', [id]);
  await eventually(async () => {
    const { integrations } = await webhooks.listIntegrations({});
    return integrations[0]?.disabledReason === 'Five days of nothing but failures.';
  });
  const events = await home.sql.query(
    `SELECT 1 FROM outbox WHERE account_id = $1 AND type = 'webhook.integration.disabled'`,
    [accountId],
  );
  expect(events).toHaveLength(1);
});

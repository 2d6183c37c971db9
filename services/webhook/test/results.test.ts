import { randomUUID } from 'node:crypto';
import { writeResults } from '../src/storage/results';
import { callEvent, deliveriesOf, deliveryWhen, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';
import type { Receiver } from './receiver';

let home: Home;
let service: RunningWebhook;
let receiver: Receiver;

beforeAll(async () => {
  home = await openHome();
  receiver = await openReceiver();
  service = await home.start();
});

afterAll(async () => {
  await service?.stop();
  await receiver?.close();
  await home?.close();
});

test('a result that is written twice, because its commit was not confirmed, adds one attempt', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url);
  await home.tell(callEvent('ended', { accountId }));
  const { id: deliveryId } = await deliveryWhen(webhooks, id, ({ status }) => status === 'delivered');
  const attempt = { at: new Date(), latencyMs: 7_654_321, status: 200 };
  const result = { deliveryId, integrationId: id, outcome: { status: 'delivered' as const, gone: false }, attempt };
  for (let count = 0; count < 2; count += 1) {
    await writeResults(home.sql, [result], [randomUUID()], new Date());
  }
  const [delivery] = await deliveriesOf(webhooks, id);
  expect(delivery!.attempts.map(({ latencyMs }) => latencyMs === attempt.latencyMs)).toEqual([false, true]);
});

import { randomUUID } from 'node:crypto';
import { newEventId } from '@sabia/service-kit/events/outbox';
import type { Queryable } from '@sabia/service-kit/postgres/database';
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

test('results find their rows by id in the queue and in the log of their month, for any values and however short both are', async () => {
  const plans: string[] = [];
  const explaining: Queryable = {
    ...home.sql,
    async query<R extends object>(text: string): Promise<R[]> {
      const lines = await home.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      return [];
    },
  };
  await home.sql.query('ANALYZE delivery_queue');
  const [at, deliveryId] = [new Date(), newEventId()];
  const result = (status: 'delivered' | 'dead', attempt: object) => ({
    ...{ deliveryId, integrationId: 1, outcome: { status, gone: false } },
    attempt: { at, latencyMs: 1, ...attempt },
  });
  await writeResults(explaining, [result('delivered', { status: 200 })], [randomUUID()], at);
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    const conditions = plan.match(/(?<=Scan using delivery_\w+_pkey on .*\n +Index Cond: \().*/g)!;
    expect(conditions.length).toBeGreaterThanOrEqual(2);
    for (const condition of conditions) expect(condition).toMatch(/id = (ANY|r)/);
    expect(plan.match(/Scan (using \w+ )?on delivery_\w+/g)).toHaveLength(conditions.length);
    expect(new Set(plan.match(/(?<=Update on )delivery_log_\w+/g))).toEqual(new Set(['delivery_log_before']));
  }
});

import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { callEvent, deliveriesOf, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook, Webhooks } from './harness';
import { answerWith, openReceiver } from './receiver';
import type { Receiver } from './receiver';

let home: Home;
let service: RunningWebhook;
let receiver: Receiver;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
  receiver = await openReceiver();
});

afterAll(async () => {
  await service?.stop();
  await receiver?.close();
  await home?.close();
});

const unknown = { kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' };
const hangups = { webhookTypes: ['channel-hangup'] };

const inStatus = (webhooks: Webhooks, id: number, status: string, count: number) =>
  eventually(async () => (await deliveriesOf(webhooks, id, { status })).length === count);

test('the health of a receiver: what arrived, what did not and why, by the hour', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url, hangups);
  const healthOf = async () => (await webhooks.getIntegrationHealth({ id })).health!;
  expect(await healthOf()).toMatchObject({
    ...{ state: 'healthy', delivered: 0, failed: 0, dead: 0, pending: 0, latencyP50: undefined },
    ...{ lastSuccessAt: undefined, lastFailure: undefined, consecutiveFailures: 0, disablesAt: undefined },
  });

  await home.tell(callEvent('ended', { accountId }), callEvent('ended', { accountId }));
  await inStatus(webhooks, id, 'delivered', 2);
  // One of them came three hours ago.
  await home.sql.query(
    `UPDATE delivery_log SET created_at = created_at - interval '3 hours'
     WHERE id = (SELECT id FROM delivery_log WHERE integration_id = $1 LIMIT 1)`,
    [id],
  );
  receiver.answer = answerWith(503, {}, 'closed');
  const before = Date.now();
  await home.tell(callEvent('ended', { accountId }));
  await inStatus(webhooks, id, 'retrying', 1);
  receiver.answer = answerWith(200);
  const [failed] = await deliveriesOf(webhooks, id, { status: 'retrying' });

  const health = await eventually(async () => {
    const each = await healthOf();
    return each.consecutiveFailures === 1 && each;
  });
  expect(health).toMatchObject({
    ...{ state: 'shaky', delivered: 2, failed: 1, dead: 0, pending: 0, disabledReason: undefined },
    lastFailure: { deliveryId: failed!.id, reason: 'The receiver answered 503.' },
  });
  expect(health.latencyP95).toBeGreaterThanOrEqual(health.latencyP50!);
  expect(health.lastSuccessAt!.getTime()).toBeLessThanOrEqual(health.lastFailure!.at!.getTime());
  expect(health.disablesAt!.getTime() - health.failingSince!.getTime()).toBe(5 * 24 * 3_600_000);
  expect(health.failingSince!.getTime()).toBeGreaterThanOrEqual(before);
  expect(health.hours).toHaveLength(24);
  expect(health.hours.filter(({ delivered, failed: tried }) => delivered + tried > 0)).toHaveLength(2);
  expect(health.hours.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2);
  expect(health.hours.at(-1)!.hour!.getTime()).toBe(Math.floor(Date.now() / 3_600_000) * 3_600_000);

  expect(await refusal(service.as(newAccount().ana).getIntegrationHealth({ id }))).toMatchObject(unknown);
});

test('a receiver that is gone is disabled, and the reason is there', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const gone = await openReceiver(answerWith(410));
  const { id } = await integrate(webhooks, gone.url, hangups);
  await home.tell(callEvent('ended', { accountId }));
  const health = await eventually(async () => {
    const each = (await webhooks.getIntegrationHealth({ id })).health!;
    return each.state === 'disabled' && each;
  });
  expect(health).toMatchObject({ dead: 1, disablesAt: undefined, disabledReason: 'The receiver answered 410 Gone.' });
  expect(health.disabledAt).toBeDefined();
  await gone.close();
});

test('a replay of a span can be followed until everything has arrived', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url, hangups);
  await home.tell(...Array.from({ length: 3 }, () => callEvent('ended', { accountId })));
  await inStatus(webhooks, id, 'delivered', 3);

  receiver.answer = (request, response) => answerWith(503)(request, response, response.socket!);
  const { count, replayId } = await webhooks.replayDeliveries({ id, status: 'delivered' });
  expect(count).toBe(3);
  const progress = async () => (await webhooks.getReplay({ id, replayId })).replay!;
  await eventually(async () => (await progress()).retrying === 3);
  expect(await progress()).toMatchObject({ id: replayId, total: 3, delivered: 0, failed: 0, pending: 3 });

  receiver.answer = answerWith(200);
  const again = await webhooks.replayDeliveries({ id, status: 'delivered' });
  expect((await webhooks.getReplay({ id, replayId: again.replayId })).replay).toMatchObject({ total: 0, pending: 0 });
  for (const delivery of await deliveriesOf(webhooks, id)) {
    await webhooks.replayDelivery({ id, deliveryId: delivery.id });
  }
  await eventually(async () => (await progress()).delivered === 3);
  expect(await progress()).toMatchObject({ total: 3, delivered: 3, failed: 0, pending: 0, retrying: 0 });

  const stranger = newAccount();
  const { id: theirs } = await integrate(service.as(stranger.ana), receiver.url);
  expect(await refusal(service.as(stranger.ana).getReplay({ id: theirs, replayId }))).toMatchObject(unknown);
  expect(await refusal(webhooks.getReplay({ id, replayId: 'none' }))).toMatchObject(unknown);
});

test('a constraint is matched against the metadata of calls', async () => {
  const { ana } = newAccount();
  const metadata = ['{"team":"7","lead":1}', '{"team":8}', '{}'];
  const { matches } = await service
    .as(ana)
    .matchConstraint({ webhookConstraint: '{"metadata":{"team":7},"lead":1}', metadata });
  const missing = {
    ...{ matches: false, key: 'lead', reason: `The call's metadata has no "lead"; the constraint asks for 1.` },
    why: { code: 'METADATA_MISSING', detail: JSON.stringify({ key: 'lead', wanted: '1' }) },
  };
  expect(matches).toEqual([{ matches: true }, missing, missing]);
  expect(await refusal(service.as(ana).matchConstraint({ webhookConstraint: '[1]', metadata }))).toMatchObject({
    codes: { webhookConstraint: 'type' },
  });
});

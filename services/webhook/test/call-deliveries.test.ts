import { randomUUID } from 'node:crypto';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { callEvent, deliveriesOf, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';
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

test('the deliveries of a call to all webhooks of its account, oldest first, hidden from other accounts', async () => {
  const { ana, bob, accountId } = newAccount();
  const mine = await integrate(service.as(ana), receiver.url, { webhookTypes: ['channel-hangup'] });
  const theirs = await integrate(service.as(bob), receiver.url, { gateway: 'erp', constraint: { team: 1 } });
  const call = { accountId, callId: randomUUID() };
  await home.tell(callEvent('answered', call));
  await home.tell(callEvent('ended', call), callEvent('ended', { accountId }));
  const { deliveries } = await eventually(async () => {
    const answer = await service.as(ana).listCallDeliveries({ callId: call.callId, whole: false });
    return answer.deliveries.some(({ delivery }) => delivery!.status === 'delivered') && answer;
  });
  const told = deliveries.map(({ integrationId, gateway, delivery }) => [
    integrationId,
    gateway,
    delivery!.eventType,
    delivery!.status,
  ]);
  expect(told.slice(0, 1)).toEqual([[theirs.id, 'erp', 'channel-answer', 'not-matched']]);
  expect(told.slice(1).sort()).toEqual([
    [mine.id, 'crm', 'channel-hangup', 'delivered'],
    [theirs.id, 'erp', 'channel-hangup', 'not-matched'],
  ]);
  const sent = deliveries.find(({ delivery }) => delivery!.status === 'delivered')!.delivery!;
  expect(sent).toMatchObject({ payload: undefined, attempts: [{ status: 200, requestHeaders: undefined }] });
  const { deliveries: whole } = await service.as(ana).listCallDeliveries({ callId: call.callId, whole: true });
  const { url, delivery } = whole.find(({ delivery }) => delivery!.id === sent.id)!;
  const arrived = receiver.received.find(({ headers }) => headers['webhook-id'] === sent.webhookId)!;
  expect({ url, payload: delivery!.payload }).toEqual({ url: receiver.url, payload: arrived.body });
  const { host, connection, ...shown } = arrived.headers;
  delete shown['content-length'];
  expect([host, connection]).not.toContain(undefined);
  expect(JSON.parse(delivery!.attempts[0]!.requestHeaders!)).toEqual(shown);

  const stranger = service.as(newAccount().ana);
  expect(await stranger.listCallDeliveries({ callId: call.callId, whole: false })).toEqual({ deliveries: [] });
  expect(await stranger.listCallDeliveries({ callId: 'no call', whole: true })).toEqual({ deliveries: [] });
});

test('a replay of days: whole days in the time zone of the account', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url);
  await home.tell(
    callEvent('ended', { accountId }),
    callEvent('ended', { accountId }),
    callEvent('ended', { accountId }),
  );
  await eventually(async () => (await deliveriesOf(webhooks, id, { status: 'delivered' })).length === 3);
  // The first and the last moment of a day in São Paulo, which is at -03:00, and the first of the next.
  const moments = ['2026-03-10T03:00:00Z', '2026-03-11T02:59:59.999Z', '2026-03-11T03:00:00Z'];
  await home.sql.query(
    `UPDATE delivery_log d SET created_at = m.at::timestamptz
     FROM unnest($2::text[]) WITH ORDINALITY AS m (at, nth),
       (SELECT id, row_number() OVER (ORDER BY position) AS nth FROM delivery_log WHERE integration_id = $1) n
     WHERE n.nth = m.nth AND d.id = n.id`,
    [id, moments],
  );
  const replay = async (span: { from?: string; to?: string }) => {
    const { count } = await webhooks.replayDeliveries({ id, status: 'delivered', ...span });
    await eventually(async () => (await deliveriesOf(webhooks, id, { status: 'delivered' })).length === 3);
    return count;
  };
  expect(await replay({ from: '2026-03-10', to: '2026-03-10' })).toBe(2);
  expect(await replay({ from: '2026-03-11' })).toBe(1);
  expect(await replay({ to: '2026-03-09' })).toBe(0);
  expect(await replay({ from: '2026-03-10', to: '2026-03-11' })).toBe(3);
  expect(await replay({ from: '2026-03-10T03:00:00.001Z', to: '2026-03-11T00:00' })).toBe(2);
  expect(await refusal(webhooks.replayDeliveries({ id, from: '2026-03-11', to: '2026-03-10' }))).toMatchObject({
    codes: { to: 'range' },
  });
  expect(receiver.received.length).toBeGreaterThan(3);
});

import { randomUUID } from 'node:crypto';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { DeliveriesRecorded, IntegrationDisabled } from '@sabia/protos/sabia/webhook/v1/events';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { allTypes, callEvent, deliveriesOf, envelopeOf, integrate, newAccount, openHome, ratedEvent } from './harness';
import type { Home, RunningWebhook } from './harness';
import { answerWith, openReceiver } from './receiver';
import type { Receiver } from './receiver';

let home: Home;
let service: RunningWebhook;
let receiver: Receiver;
let nats: Nats;
const published: Envelope[] = [];
const told: Envelope[] = [];

beforeAll(async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  nats = connectNats({ url: testServers().natsUrl, name: 'test', log });
  const connection = await nats.connection();
  await ensureStreams(connection);
  connection.subscribe('sabia.webhook.*.*', {
    callback: (_error, message) => void published.push(Envelope.decode(message.data)),
  });
  connection.subscribe('sabia-live.*.webhook.*.*', {
    callback: (_error, message) => void told.push(Envelope.decode(message.data)),
  });
  home = await openHome();
  service = await home.start({ withNats: true });
  receiver = await openReceiver();
});

afterAll(async () => {
  await service?.stop();
  await receiver?.close();
  await nats?.close();
  await home?.close();
});

async function publish(event: { type: string; message: unknown }): Promise<void> {
  await (await nats.connection()).jetstream().publish(`sabia.${event.type}`, envelopeOf(event));
}

test('a call as it happens on NATS arrives at the receiver, also a price that overtakes the end of its call', async () => {
  const { ana, accountId } = newAccount();
  await integrate(service.as(ana), receiver.url, { webhookTypes: allTypes });
  const call = { accountId, callId: randomUUID(), metadata: '{"lead":7}' };
  await publish(callEvent('created', call));
  await publish(callEvent('answered', call));
  await publish(ratedEvent(call));
  const ended = callEvent('ended', call);
  await publish(ended);
  await publish(ended);
  await publish(callEvent('recorded', call));
  await eventually(() => receiver.received.length >= 5);
  const types = receiver.received.map(({ payload }) => payload.eventType);
  expect(types.filter((type) => type !== 'call-priced')).toEqual(allTypes.slice(0, 4));
  expect(types).toContain('call-priced');
  expect(types).toHaveLength(5);
});

test('a price whose call is unknown waits alone: the other events of its batch are handled in the same transaction', async () => {
  const { ana, accountId } = newAccount();
  const { id } = await integrate(service.as(ana), receiver.url, { gateway: 'alone', webhookTypes: allTypes });
  const orphan = ratedEvent({ accountId, callId: randomUUID() });
  const others = Array.from({ length: 20 }, () => callEvent('ended', { accountId }));
  const [first = others[0]!, ...rest] = others;
  const putOff = await home.tell(first, orphan, ...rest);
  expect(putOff).toEqual([{ event: orphan, delayMs: 2_000 }]);
  const deliveries = await deliveriesOf(service.as(ana), id);
  expect(deliveries.map(({ eventId }) => eventId).sort()).toEqual(others.map((event) => event.id).sort());
});

test('with two replicas the events of each call still arrive in order, and each once', async () => {
  const { ana, accountId } = newAccount();
  const busy = await openReceiver((_request, response) => {
    setTimeout(() => response.writeHead(204).end(), Math.random() * 20);
  });
  const second = await home.start({ withNats: true });
  try {
    await integrate(service.as(ana), busy.url, { webhookTypes: allTypes });
    const calls = Array.from({ length: 20 }, () => ({ accountId, callId: randomUUID() }));
    await Promise.all(
      calls.map(async (call) => {
        for (const name of ['created', 'answered', 'ended', 'recorded'] as const) {
          await publish(callEvent(name, call));
        }
      }),
    );
    await eventually(() => busy.received.length >= 4 * calls.length);
    for (const { callId } of calls) {
      const ofCall = busy.received.filter(({ payload }) => payload.id === callId);
      expect(ofCall.map(({ payload }) => payload.eventType)).toEqual(allTypes.slice(0, 4));
    }
  } finally {
    await second.stop();
    await busy.close();
  }
});

test('a disabled webhook publishes an event', async () => {
  const { ana, accountId } = newAccount();
  const gone = await openReceiver(answerWith(410));
  try {
    const { id } = await integrate(service.as(ana), gone.url);
    await publish(callEvent('ended', { accountId }));
    const event = await eventually(() => published.find((envelope) => envelope.accountId === accountId));
    expect(event.type).toBe('webhook.integration.disabled');
    expect(IntegrationDisabled.decode(event.payload)).toEqual({
      integrationId: id,
      userId: ana.userId,
      gateway: 'crm',
      reason: 'The receiver answered 410 Gone.',
    });
  } finally {
    await gone.close();
  }
});

test('the webhooks of a deleted user are disabled with a reason and an event; those of other users go on', async () => {
  const { ana, bob, accountId } = newAccount();
  const [left, kept, off] = await Promise.all([
    integrate(service.as(bob), receiver.url, { gateway: 'of bob' }),
    integrate(service.as(ana), receiver.url, { gateway: 'of ana' }),
    service.as(bob).upsertIntegration({ gateway: 'off', webhook: false }),
  ]);
  const deleted = {
    ...callEvent('ended', { accountId }),
    type: 'identity.user.deleted',
    message: { userId: bob.userId, userUuid: randomUUID() },
  };
  await publish(deleted);
  const event = await eventually(() => published.find((envelope) => envelope.accountId === accountId));
  expect(event.type).toBe('webhook.integration.disabled');
  const reason = 'The user who owned the integration was deleted.';
  expect(IntegrationDisabled.decode(event.payload)).toEqual({
    ...{ integrationId: left.id, userId: bob.userId, gateway: 'of bob', reason },
  });
  const { integrations } = await service.as(ana).listIntegrations({});
  expect(Object.fromEntries(integrations.map(({ id, disabledReason }) => [id, disabledReason]))).toEqual({
    ...{ [left.id]: reason, [kept.id]: undefined, [off.integration!.id]: undefined },
  });

  const ended = callEvent('ended', { accountId });
  await publish(ended);
  const [delivery] = await eventually(async () => {
    const deliveries = await deliveriesOf(service.as(ana), kept.id);
    return deliveries.length > 0 && deliveries;
  });
  expect(delivery!.eventId).toBe(ended.id);
  expect((await deliveriesOf(service.as(ana), left.id)).map(({ status, reason: why }) => [status, why])).toEqual([
    ['not-matched', `The webhook is disabled: ${reason}`],
  ]);

  await service.as(ana).upsertIntegration({ id: left.id, webhook: true });
  await publish(deleted);
  await publish(callEvent('ended', { accountId }));
  await eventually(async () =>
    (await deliveriesOf(service.as(ana), left.id)).some(({ status }) => status === 'delivered'),
  );
});

test('the account is told what becomes of each delivery, several in one event', async () => {
  const { ana, accountId } = newAccount();
  const { id: works } = await integrate(service.as(ana), receiver.url);
  const broken = await openReceiver(answerWith(500));
  const { id: fails } = await integrate(service.as(ana), broken.url, { gateway: 'broken' });
  const { id: other } = await integrate(service.as(ana), receiver.url, { gateway: 'other', constraint: { lead: 9 } });
  const call = { accountId, callId: randomUUID(), metadata: '{"lead":7}' };
  await publish(callEvent('ended', call));
  const heard = () =>
    told
      .filter((envelope) => envelope.accountId === accountId)
      .flatMap(({ payload }) => DeliveriesRecorded.decode(payload).deliveries);
  await eventually(() => heard().length === 3);
  expect(heard().sort((a, b) => a.integrationId - b.integrationId)).toEqual([
    expect.objectContaining({ integrationId: works, callId: call.callId, status: 'delivered', responseStatus: 200 }),
    expect.objectContaining({ integrationId: fails, status: 'retrying', responseStatus: 500 }),
    expect.objectContaining({ integrationId: other, status: 'not-matched', eventType: 'channel-hangup' }),
  ]);
  expect(heard().find(({ status }) => status === 'retrying')?.nextAttemptAt).toBeDefined();
  await broken.close();
});

test('an account with 1,000 integrations gets each of its events everywhere, and its neighbour gets its own in between', async () => {
  const big = newAccount();
  const { id: chosen } = await integrate(service.as(big.ana), receiver.url, { constraint: { lead: 1 } });
  await home.sql.query(
    `INSERT INTO integrations (account_id, user_id, gateway, webhook, metadata, settings, constraint_pairs, secret_key_id, secret, created_at, updated_at)
     SELECT account_id, user_id, gateway || nth, webhook, metadata, settings, '{"lead": 2}', secret_key_id, secret, now(), now()
     FROM integrations, generate_series(1, 999) AS nth WHERE id = $1`,
    [chosen],
  );
  const small = newAccount();
  const { id: neighbour } = await integrate(service.as(small.ana), receiver.url);
  const calls = Array.from({ length: 20 }, () => ({
    accountId: big.accountId,
    callId: randomUUID(),
    metadata: '{"lead":1}',
  }));
  await Promise.all([
    ...calls.map((call) => publish(callEvent('ended', call))),
    publish(callEvent('ended', { accountId: small.accountId })),
  ]);
  await eventually(
    async () => (await deliveriesOf(service.as(small.ana), neighbour, { status: 'delivered' })).length === 1,
  );
  await eventually(async () => {
    const rows = await home.sql.query<{ count: number }>(
      `SELECT count(*) AS count FROM delivery_log WHERE integration_id = $1 AND status = 'delivered'`,
      [chosen],
    );
    return rows[0]!.count === calls.length;
  });
  const [listed] = await home.sql.query<{ most: number }>(
    'SELECT max(count) AS most FROM (SELECT count(*) AS count FROM unmatched_events GROUP BY integration_id) AS of_each',
  );
  expect(listed!.most).toBeLessThanOrEqual(20);
  await eventually(async () => {
    const [counted] = await home.sql.query<{ least: number }>(
      'SELECT min(count) AS least FROM unsent_counts WHERE integration_id > $1 AND integration_id < $2',
      [chosen, neighbour],
    );
    return counted!.least === calls.length;
  });
});

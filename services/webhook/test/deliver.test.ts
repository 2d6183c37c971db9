import { randomUUID } from 'node:crypto';
import { eventually } from '@sabia/testkit/eventually';
import { Webhook } from 'standardwebhooks';
import { allTypes, callEvent, deliveriesOf, integrate, newAccount, openHome, ratedEvent } from './harness';
import type { Home, RunningWebhook } from './harness';
import { openReceiver } from './receiver';
import type { Receiver } from './receiver';

let home: Home;
let service: RunningWebhook;
let receiver: Receiver;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

beforeEach(async () => {
  receiver = await openReceiver();
});

afterEach(() => receiver.close());

async function arrived(count: number) {
  await eventually(() => receiver.received.length >= count);
  return receiver.received;
}

test('all five types of one call arrive in order, signed, with exactly the specified fields', async () => {
  const { ana, accountId, domain } = newAccount();
  const { webhookSecret } = await integrate(service.as(ana), receiver.url, {
    webhookTypes: allTypes,
    webhookVersion: 'v1.4',
    webhookHeaders: { 'X-Team': 'vendas', Authorization: 'Basic abc' },
  });
  const callId = randomUUID();
  const metadata = '{ "lead" : 12345678901234567890, "b":1.50,"a":"ção" }';
  const call = { accountId, domain, callId, metadata };
  const recordUrl = 'http://sabia.localhost/r.wav';
  const events = [
    callEvent('created', call, { answeredAt: undefined, endedAt: undefined }),
    callEvent('answered', call, { endedAt: undefined }),
    callEvent('ended', call),
    callEvent('recorded', call, { recordUrl }),
    ratedEvent(call),
  ];
  await home.tell(...events);
  const requests = await arrived(5);

  const tail = (type: string, index: number) =>
    `"metadata":${metadata},"eventId":"${events[index]!.id}","occurredAt":"${events[index]!.occurredAt.toISOString()}",` +
    `"type":"${type}","event":"${type}","callId":"${callId}"}`;
  const head = (type: string) =>
    `{"version":"v1.4","eventType":"${type}","id":"${callId}","domain":"${domain}","direction":"outbound","caller":"1000","called":"5511987654321","startedAt":"2026-01-31 09:00:00",`;
  const over =
    '"answeredAt":"2026-01-31 09:00:10","endedAt":"2026-01-31 09:01:15","duration":65,"hangupCause":"NORMAL_CLEARING","hangupCauseCode":"16",';
  expect(requests.map(({ body }) => body)).toEqual([
    `${head('channel-create')}${tail('channel-create', 0)}`,
    `${head('channel-answer')}"answeredAt":"2026-01-31 09:00:10",${tail('channel-answer', 1)}`,
    `${head('channel-hangup')}${over}${tail('channel-hangup', 2)}`,
    `${head('call-recorded')}${over}"recordUrl":"${recordUrl}",${tail('call-recorded', 3)}`,
    `${head('call-priced')}${over}"recordUrl":"${recordUrl}",` +
      tail('call-priced', 4).replace('"eventId"', '"minutePrice":0.125,"callPrice":0.135,"billedSeconds":66,"eventId"'),
  ]);

  const verifier = new Webhook(webhookSecret!);
  for (const { body, headers, path } of requests) {
    expect(path).toBe('/hook');
    expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ id: callId });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-team': 'vendas',
      authorization: 'Basic abc',
    });
  }
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
  expect(service.logged()).not.toContain(webhookSecret!.slice('whsec_'.length));
});

test('the default types are answer and hangup; others are counted, and mismatches listed, with the reason', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url, { constraint: { metadata: { team: 7 } } });
  const mine = { accountId, callId: randomUUID(), metadata: '{"team":"7"}' };
  const other = { accountId, callId: randomUUID(), metadata: '{"team":"8"}' };
  await home.tell(callEvent('created', mine), callEvent('ended', mine), callEvent('ended', other));
  await eventually(async () => (await deliveriesOf(webhooks, id, { status: 'delivered' })).length === 1);

  expect(receiver.received.map(({ payload }) => [payload.eventType, payload.id])).toEqual([
    ['channel-hangup', mine.callId],
  ]);
  const unsent = await deliveriesOf(webhooks, id, { status: 'not-matched' });
  expect(Object.fromEntries(unsent.map(({ callId, reason }) => [callId, reason]))).toEqual({
    [other.callId]: `The call's metadata has "team" "8"; the constraint asks for 7.`,
  });
  const { health } = await eventually(async () => {
    const answer = await webhooks.getIntegrationHealth({ id });
    return answer.health!.unsent.length === 2 && answer;
  });
  expect(health!.unsent).toMatchObject([
    {
      ...{ eventType: 'channel-create', count: 1, lastCallId: mine.callId, why: { code: 'TYPE_NOT_CHOSEN' } },
      reason: 'webhookTypes does not name channel-create; it names channel-answer, channel-hangup.',
    },
    { eventType: 'channel-hangup', count: 1, lastCallId: other.callId, why: { code: 'METADATA_DIFFERS' } },
  ]);
  const [delivered] = await deliveriesOf(webhooks, id, { callId: mine.callId, status: 'delivered' });
  expect(delivered).toMatchObject({
    eventType: 'channel-hangup',
    nextAttemptAt: undefined,
    payload: receiver.received[0]!.body,
    webhookId: receiver.received[0]!.headers['webhook-id'],
    attempts: [{ status: 200, answer: '' }],
  });
});

test('an event that comes twice is sent once', async () => {
  const { ana, accountId } = newAccount();
  const { id } = await integrate(service.as(ana), receiver.url);
  const event = callEvent('ended', { accountId });
  await home.tell(event);
  await home.tell(event);
  await home.tell(callEvent('ended', { accountId }));
  await arrived(2);
  expect(await deliveriesOf(service.as(ana), id)).toHaveLength(2);
});

test('many calls: the events of each arrive in order, though calls do not wait for each other', async () => {
  const { ana, accountId } = newAccount();
  await integrate(service.as(ana), receiver.url, { webhookTypes: allTypes.slice(0, 4) });
  receiver.answer = (_request, response) => setTimeout(() => response.writeHead(204).end(), Math.random() * 30);
  const calls = Array.from({ length: 30 }, () => ({ accountId, callId: randomUUID() }));
  for (const name of ['created', 'answered', 'ended', 'recorded'] as const) {
    await home.tell(...calls.map((call) => callEvent(name, call)));
  }
  const requests = await arrived(120);
  for (const { callId } of calls) {
    const types = requests.filter(({ payload }) => payload.id === callId).map(({ payload }) => payload.eventType);
    expect(types).toEqual(allTypes.slice(0, 4));
  }
});

test('a new secret and the old one both sign for a day', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id, webhookSecret: old } = await integrate(webhooks, receiver.url);
  const { integration } = await webhooks.rotateSecret({ id });
  expect(integration!.webhookSecret).not.toBe(old);
  await home.tell(callEvent('ended', { accountId }));
  const [request] = await arrived(1);
  for (const secret of [old, integration!.webhookSecret]) {
    expect(() => new Webhook(secret!).verify(request!.body, request!.headers as Record<string, string>)).not.toThrow();
  }
});

test('a test sends a signed sample of each chosen type and shows the results', async () => {
  const { ana } = newAccount();
  const webhooks = service.as(ana);
  const { id, webhookSecret } = await integrate(webhooks, receiver.url, {
    webhookTypes: ['channel-hangup', 'call-priced'],
    constraint: { team: 7 },
  });
  const { deliveries } = await webhooks.testIntegration({ id });
  expect(deliveries.map(({ eventType, status, test: sample }) => [eventType, status, sample])).toEqual([
    ['channel-hangup', 'delivered', true],
    ['call-priced', 'delivered', true],
  ]);
  const [request] = receiver.received;
  expect(new Webhook(webhookSecret!).verify(request!.body, request!.headers as Record<string, string>)).toMatchObject({
    eventType: 'channel-hangup',
    metadata: { team: 7, test: true },
  });
});

test('a replay sends the same bytes under the same webhook-id', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, receiver.url);
  await home.tell(callEvent('ended', { accountId }));
  await arrived(1);
  const [delivery] = await eventually(async () => {
    const done = await deliveriesOf(webhooks, id, { status: 'delivered' });
    return done.length === 1 && done;
  });
  await webhooks.replayDelivery({ id, deliveryId: delivery!.id });
  await arrived(2);
  expect(await webhooks.replayDeliveries({ id, status: 'delivered', from: '2020-01-01T00:00:00Z' })).toBeDefined();
  const [first, second] = receiver.received;
  expect(second!.body).toBe(first!.body);
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
});

import type { Delivery } from '@sabia/client';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { createAdmin } from '../src/people';
import { invalid, refusalOf, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';

interface DeliveryOfCall extends Delivery {
  integration: { id: number; gateway: string; url: string };
}

let user: CallingUser;
let inbox: WebhookInbox;
let crm: number;
let call: string;

beforeAll(async () => {
  inbox = await openWebhookInbox();
  user = await startCallingUser(testStack());
  const settings = {
    webhookTypes: ['channel-hangup'],
    webhookHeaders: { 'x-team': 'sales', authorization: 'Basic x' },
  };
  crm = (await integrate(user.api(), { gateway: 'crm', url: inbox.urlOf('/crm'), settings })).id;
  const settingsOfErp = { webhookTypes: ['channel-hangup'] };
  await integrate(user.api(), {
    ...{ gateway: 'erp', url: inbox.urlOf('/erp'), settings: settingsOfErp, constraint: '{"team":"support"}' },
  });
  call = await user.place(testStack().testNumbers.busy, '{"team":"sales","lead":7}');
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

it('GET /calls/{id}/deliveries shows each request as it was sent, and what was not sent and why', async () => {
  const deliveries = await eventually(async () => {
    const { body } = await user.api().get<DeliveryOfCall[]>(`/calls/${call}/deliveries`);
    return body.some(({ status }) => status === 'delivered') && body;
  });
  const of = (gateway: string) =>
    deliveries.find(({ integration, eventType }) => integration.gateway === gateway && eventType === 'channel-hangup');
  const [request] = inbox.received('/crm');
  const { authorization, ...headers } = request!.headers;
  for (const ofConnection of ['host', 'connection', 'content-length']) delete headers[ofConnection];
  expect(authorization).toBe('Basic x');
  expect(of('crm')).toMatchObject({
    integration: { id: crm, gateway: 'crm', url: inbox.urlOf('/crm') },
    payload: request!.payload,
    attempts: [
      { status: 200, answer: 'ok', error: null, requestHeaders: { ...headers, authorization: '…', 'x-team': '…' } },
    ],
  });
  expect(of('erp')).toMatchObject({
    ...{ status: 'not-matched', payload: null, attempts: [] },
    reason: `The call's metadata has "team" "sales"; the constraint asks for "support".`,
  });
  const stranger = await createAdmin(testStack());
  expect(refusalOf(await stranger.api().get(`/calls/${call}/deliveries`))).toEqual(unknownId('call', call));
});

it('POST /integrations/try-constraint tries a constraint against the newest calls', async () => {
  const attempt = (webhookConstraint: object, limit?: number) =>
    user.api().post<{ calls: object[] }>('/integrations/try-constraint', { webhookConstraint, limit });
  expect((await attempt({ team: 'sales', lead: '7' })).body).toMatchObject({
    ...{ tried: 1, matched: 1 },
    calls: [{ id: call, matches: true, key: null, reason: null, metadata: { team: 'sales', lead: 7 } }],
  });
  expect((await attempt({ metadata: { team: 'support' } })).body).toMatchObject({
    ...{ tried: 1, matched: 0 },
    calls: [{ id: call, matches: false, key: 'team', reason: expect.stringContaining('"support"') as unknown }],
  });
  expect(refusalOf(await attempt({}, 101))).toEqual(invalid('integration', { limit: ['range', 'must be 1 to 100'] }));
});

it('a replay is followed to its end, and the health of the receiver tells of it', async () => {
  const { body } = await user
    .api()
    .post<{ count: number; replayId: string }>(`/integrations/${crm}/replay`, { status: 'delivered' });
  expect(body.count).toBe(1);
  const path = `/integrations/${crm}/replays/${body.replayId}`;
  await eventually(async () => (await user.api().get<{ delivered: number }>(path)).body.delivered === 1);
  expect((await user.api().get(path)).body).toEqual({
    ...{ id: body.replayId, createdAt: expect.stringMatching(isoTime) as unknown },
    ...{ total: 1, delivered: 1, failed: 0, pending: 0, retrying: 0 },
  });
  const health = await user.api().get<{ hours: object[] }>(`/integrations/${crm}/health`);
  expect(health.body).toMatchObject({
    ...{ state: 'healthy', delivered: 1, failed: 0, dead: 0, pending: 0, lastFailure: null, disablesAt: null },
    ...{ consecutiveFailures: 0, disabledReason: null, lastSuccessAt: expect.stringMatching(isoTime) as unknown },
    latencyP95: expect.any(Number) as unknown,
  });
  expect(health.body.hours).toHaveLength(24);
  const stranger = await createAdmin(testStack());
  for (const each of [path, `/integrations/${crm}/health`]) {
    expect(refusalOf(await stranger.api().get(each))).toEqual(unknownId('integration', crm));
  }
});

it('deliveries are filtered by plain parameters, too', async () => {
  const list = async (query: Record<string, string>) =>
    (await user.api().get<{ data: Delivery[] }>(`/integrations/${crm}/deliveries`, { query })).body.data;
  expect(await list({ eventType: 'channel-hangup', status: 'delivered', test: 'false' })).toHaveLength(1);
  expect(await list({ eventType: 'call-priced', status: 'delivered' })).toHaveLength(0);
});

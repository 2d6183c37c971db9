import type { Integration } from '@sabia/client';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';
import { integrate, listDeliveries } from '../src/webhook-integrations';

const metadata = `{"campaign":"x","leadId":7,"account":"12","longId":9007199254740993,"alpha":{"deep":[1,{"b":2}]},"none":null}`;

const { testNumbers } = testStack();
const integrations = new Map<string, Integration>();
let user: CallingUser;
let inbox: WebhookInbox;
let id: string;

const matching: [name: string, settings: object, constraint: string | undefined, version: string][] = [
  ['flat', { webhookVersion: '1.8' }, '{"campaign":"x"}', '1.8'],
  ['nested', { webhookVersion: 'v1.8' }, '{"metadata":{"campaign":"x"}}', 'v1.8'],
  ['both', { webhookVersion: '1.4' }, '{"campaign":"x","metadata":{"leadId":7}}', '1.4'],
  ['text-for-number', { webhookVersion: 'v1.4' }, '{"leadId":"7"}', 'v1.4'],
  ['number-for-text', { webhookVersion: 1.8 }, '{"account":12}', '1.8'],
  ['empty', { webhookVersion: '' }, '{}', '1.8'],
  ['nested-empty', { webhookVersion: null }, '{"metadata":{}}', '1.8'],
  ['null', {}, 'null', '1.8'],
  ['absent', {}, undefined, '1.8'],
  ['as-text', {}, JSON.stringify('{"campaign":"x"}'), '1.8'],
  ['long-number', {}, '{"longId":9007199254740993}', '1.8'],
  ['long-text', {}, '{"metadata":{"longId":"9007199254740993"}}', '1.8'],
  ['deep', {}, '{"alpha":{},"none":null}', '1.8'],
];
const failing: [name: string, settings: object, constraint: string | undefined, reason: string][] = [
  ['other', {}, '{"campaign":"y"}', `The call's metadata has "campaign" "x"; the constraint asks for "y".`],
  ['lacking', {}, '{"metadata":{"team":1}}', `The call's metadata has no "team"; the constraint asks for 1.`],
  [
    'other-long',
    {},
    '{"longId":9007199254740992}',
    `The call's metadata has "longId" "9007199254740993"; the constraint asks for "9007199254740992".`,
  ],
];
const otherType = 'other-type';
beforeAll(async () => {
  inbox = await openWebhookInbox();
  user = await startCallingUser(testStack());
  for (const [gateway, given, constraint] of [...matching, ...failing]) {
    const settings = { webhookTypes: ['channel-hangup'], ...given };
    const wish = { gateway, url: inbox.urlOf(`/${gateway}`), settings, constraint };
    integrations.set(gateway, await integrate(user.api(), wish));
  }
  const settings = { webhookTypes: ['call-priced'] };
  integrations.set(
    otherType,
    await integrate(user.api(), { gateway: otherType, url: inbox.urlOf('/other'), settings }),
  );
  id = await user.place(testNumbers.busy, metadata);
  await user.callWhen(id, ({ status }) => status === 'ended');
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

const hangupsOf = (gateway: string, callId: string) =>
  eventually(async () => {
    const integration = integrations.get(gateway);
    const found = await listDeliveries(user.api(), integration?.id ?? 0, { callId, eventType: 'channel-hangup' });
    return found.length > 0 && found;
  });

it.each(matching)('%s: sent, with the version as it was configured', async (name, _settings, _constraint, version) => {
  const [webhook] = await inbox.waitFor(`/${name}`, id, 1);
  expect(webhook?.payload).toMatchObject({ version, eventType: 'channel-hangup', id });
  expect(webhook?.body).toContain(`,"metadata":${metadata},`);
});

it.each(failing)('%s: not sent, and the list of deliveries says why', async (name, _settings, _constraint, reason) => {
  const listed = await hangupsOf(name, id);
  expect(listed).toMatchObject([{ callId: id, eventType: 'channel-hangup', status: 'not-matched', reason }]);
  const { id: integrationId = 0 } = integrations.get(name) ?? {};
  const byStatus = await listDeliveries(user.api(), integrationId, { status: 'not-matched', call_id: id });
  expect(byStatus).toContainEqual(listed[0]);
  expect(inbox.received(`/${name}`).filter(({ payload }) => payload.eventType === 'channel-hangup')).toEqual([]);
});

it('a type that was not asked for: not sent, and the health counts it with the reason', async () => {
  const { id: integrationId = 0 } = integrations.get(otherType) ?? {};
  const unsent = await eventually(async () => {
    const { body } = await user.api().get<{ unsent: { eventType: string }[] }>(`/integrations/${integrationId}/health`);
    return body.unsent.find(({ eventType }) => eventType === 'channel-hangup');
  });
  expect(unsent).toMatchObject({
    ...{ count: 1, lastCallId: id, why: { code: 'TYPE_NOT_CHOSEN' } },
    reason: 'webhookTypes does not name channel-hangup; it names call-priced.',
  });
});

it('of a call that was never answered: no time of an answer, no recording', async () => {
  const [webhook] = await inbox.waitFor('/absent', id, 1);
  expect(webhook?.payload).toMatchObject({ duration: 0, hangupCause: 'USER_BUSY', hangupCauseCode: '17' });
  expect(webhook?.payload).not.toHaveProperty('answeredAt');
  expect(webhook?.payload).not.toHaveProperty('recordUrl');
});

it('a call without metadata has an empty object of it, and matches no constraint', async () => {
  const plain = await user.place(testNumbers.busy);
  const [webhook] = await inbox.waitFor('/absent', plain, 1);
  expect(webhook?.body).toContain(',"metadata":{},');
  const [unsent] = await hangupsOf('flat', plain);
  expect(unsent).toMatchObject({
    status: 'not-matched',
    reason: expect.stringContaining('no "campaign"') as unknown,
  });
});

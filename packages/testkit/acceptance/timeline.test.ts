import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { createAdmin } from '../src/people';
import { refusalOf, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';

interface Entry {
  at: string;
  kind: string;
  message: string;
  detail: Record<string, unknown> | null;
}

const allTypes = ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded', 'call-priced'];
const { testNumbers } = testStack();
let user: CallingUser;
let inbox: WebhookInbox;

beforeAll(async () => {
  inbox = await openWebhookInbox();
  user = await startCallingUser(testStack(), { recorded: true });
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

async function listenAt(gateway: string, webhookTypes: string[], constraint: string): Promise<number> {
  const wish = { gateway, url: inbox.urlOf(`/${gateway}`), settings: { webhookTypes }, constraint };
  return (await integrate(user.api(), wish)).id;
}

it('holds request, credit, legs, cause, recording, price and deliveries of a call, in order', async () => {
  const crm = await listenAt('crm', allTypes, '{"team":"sales"}');
  const erp = await listenAt('erp', ['channel-hangup'], '{"team":"support"}');
  const id = await user.place(testNumbers.answer, '{"team":"sales"}');
  await user.untilTalked(id);
  expect((await user.api().post(`/calls/${id}/hangup`)).status).toBe(200);
  await user.callWhen(id, ({ call_price, record_url }) => call_price !== null && record_url !== null);

  const delivered = (entries: Entry[]) => entries.filter(({ message }) => message.endsWith('delivered to "crm"'));
  const entries = await eventually(async () => {
    const { body } = await user.api().get<Entry[]>(`/calls/${id}/timeline`);
    return delivered(body).length === allTypes.length && body;
  });
  const times = entries.map(({ at }) => at);
  times.forEach((at) => expect(at).toMatch(isoTime));
  expect(times).toEqual([...times].sort());

  const story = entries.map(({ kind, message }) => `${kind}: ${message}`);
  const told = (...inOrder: string[]) => expect(story.filter((each) => inOrder.includes(each))).toEqual(inOrder);
  const [create = '', answer = '', hangup = '', recorded = '', priced = ''] = allTypes.map(
    (type) => `delivery: ${type} delivered to "crm"`,
  );
  told('request: call accepted', 'credit: credit reserved', 'leg: destination answered', 'cause: call ended');
  told(create, answer, hangup);
  // The time of a webhook's delivery is not fixed; it only follows the event it reports.
  told('request: call accepted', create);
  told('leg: destination answered', answer);
  told('cause: call ended', hangup);
  told('cause: call ended', 'credit: call rated', priced);
  told('cause: call ended', 'recording: recording stored', recorded);

  const sent = entries.find(({ message }) => message === 'channel-hangup delivered to "crm"');
  expect(sent?.detail).toMatchObject({
    ...{ integrationId: crm, gateway: 'crm', eventType: 'channel-hangup', attempt: 1, answered: 200 },
    ...{ status: 'delivered', latencyMs: expect.any(Number) as unknown },
  });
  const unsent = entries.find(({ message }) => message === 'channel-hangup not sent to "erp"');
  expect(unsent).toMatchObject({
    kind: 'delivery',
    detail: {
      ...{ integrationId: erp, status: 'not-matched' },
      reason: `The call's metadata has "team" "sales"; the constraint asks for "support".`,
    },
  });

  const stranger = await createAdmin(testStack());
  expect(refusalOf(await stranger.api().get(`/calls/${id}/timeline`))).toEqual(unknownId('call', id));
});

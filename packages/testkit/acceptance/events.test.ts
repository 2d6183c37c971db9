import { startCallingUser, type CallingUser } from '../src/calling-user';
import { openEvents, type TestEventSource } from '../src/event-source';
import { eventually } from '../src/eventually';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';

const { testNumbers, gatewayUrl } = testStack();
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

const heardOf = ({ heard }: TestEventSource, kind: string) => heard.filter(({ event }) => event.startsWith(`${kind}.`));

it('a real call is told while it happens, with its recording, price, balance and webhooks; then resumed and ended', async () => {
  await integrate(user.api(), {
    ...{ gateway: 'crm', url: inbox.urlOf('/crm'), settings: { webhookTypes: ['channel-hangup'] } },
    constraint: '{"team":"sales"}',
  });
  const source = await openEvents(gatewayUrl, { token: user.token });
  const id = await user.place(testNumbers.answer, '{"team":"sales"}');
  await eventually(() => source.heard.some(({ event }) => event === 'call.answered'));
  await eventually(() => heardOf(source, 'balance').some(({ data }) => Number(data['reserved']) > 0));
  await user.untilTalked(id);
  await user.api().post(`/calls/${id}/hangup`);
  const calls = () => heardOf(source, 'call').map(({ event }) => event);
  await eventually(() => ['call.rated', 'call.recorded'].every((event) => calls().includes(event)));
  expect(calls().slice(0, 4)).toEqual(['call.created', 'call.ringing', 'call.answered', 'call.ended']);
  heardOf(source, 'call').forEach(({ data }) => expect(data).toMatchObject({ callId: id }));

  const { call_price } = await user.callWhen(id, (call) => call.call_price !== null);
  const rated = source.heard.find(({ event }) => event === 'call.rated');
  expect(rated?.data).toMatchObject({ callPrice: call_price });
  const { body } = await user.api().get<{ balance: number; reserved: number; available: number }>('/credits/balance');
  const { balance, reserved, available } = body;
  await eventually(() => {
    expect(heardOf(source, 'balance').at(-1)?.data).toMatchObject({ balance, reserved, available });
    return true;
  });
  await eventually(() => {
    expect(source.heard).toContainEqual(
      expect.objectContaining({
        event: 'delivery.delivered',
        data: expect.objectContaining({ callId: id }) as unknown,
      }),
    );
    return true;
  });

  const created = source.heard.findIndex(({ event }) => event === 'call.created');
  const resumed = await openEvents(gatewayUrl, {
    ...{ token: user.token, query: `?callId=${id}&types=call.*`, lastEventId: source.heard[created]!.id },
  });
  await eventually(() => resumed.heard.length === calls().length - 1);
  expect(resumed.heard).toEqual(heardOf(source, 'call').slice(1));

  const revoked = await user.api().delete(`/users/accessTokens/${user.token.slice(0, 8)}`);
  expect(revoked.status).toBeLessThan(300);
  await Promise.all([source.ended, resumed.ended]);
});

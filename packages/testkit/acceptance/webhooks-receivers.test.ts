import type { Delivery, Integration } from '@sabia/client';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { createMailbox } from '../src/mailbox';
import { refusalOf } from '../src/refusals';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, verifyWebhook, type WebhookInbox } from '../src/webhook-inbox';
import { integrate, listDeliveries } from '../src/webhook-integrations';

const { testNumbers, mailboxUrl } = testStack();
let user: CallingUser;
let inbox: WebhookInbox;

beforeAll(async () => {
  inbox = await openWebhookInbox();
  user = await startCallingUser(testStack());
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

const listenAt = (gateway: string): Promise<Integration> =>
  integrate(user.api(), {
    ...{ gateway, url: inbox.urlOf(`/${gateway}`), settings: { webhookTypes: ['channel-hangup'] } },
    constraint: JSON.stringify({ to: gateway }),
  });

const deliveryOf = (id: number, callId: string, is: (delivery: Delivery) => boolean): Promise<Delivery> =>
  eventually(
    async () => {
      const [delivery] = await listDeliveries(user.api(), id, { callId, eventType: 'channel-hangup' });
      return delivery !== undefined && is(delivery) && delivery;
    },
    { intervalMs: 200 },
  );

const callFor = (gateway: string) => user.place(testNumbers.busy, JSON.stringify({ to: gateway }));

/** The day of the event in the account's time zone. */
const dayOf = ({ createdAt }: Delivery): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(new Date(createdAt));

it('a receiver that fails once gets the same webhook again, and every attempt can be seen', async () => {
  const { id, webhookSecret } = await listenAt('shaky');
  let failures = 0;
  inbox.answer('/shaky', (response) => {
    failures += 1;
    response.writeHead(failures === 1 ? 503 : 204).end(failures === 1 ? 'x'.repeat(3_000) : undefined);
  });
  const callId = await callFor('shaky');
  const waiting = await deliveryOf(id, callId, ({ status }) => status === 'retrying');
  const why = { code: 'RECEIVER_REFUSED', detail: { status: '503' } };
  expect(waiting).toMatchObject({ reason: 'The receiver answered 503.', why, attempts: [{ status: 503, why: null }] });
  const delivered = await deliveryOf(id, callId, ({ status }) => status === 'delivered');
  expect(delivered).toMatchObject({
    ...{ id: waiting.id, reason: null, nextAttemptAt: null },
    attempts: [
      { status: 503, answer: 'x'.repeat(1024), error: null },
      { status: 204, error: null },
    ],
  });
  const [first, second] = delivered.attempts.map(({ at }) => Date.parse(at));
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(4_500);
  const webhooks = inbox.received('/shaky');
  expect(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(webhooks.map(({ body }) => body)).size).toBe(1);
  webhooks.forEach((webhook) => verifyWebhook(webhook, webhookSecret));
});

it('410 disables immediately and mails the user; PATCH enables again, and a replay sends the missed webhooks', async () => {
  const { id } = await listenAt('gone');
  inbox.answer('/gone', (response) => response.writeHead(410).end());
  const missed = await callFor('gone');
  const day = dayOf(await deliveryOf(id, missed, ({ status }) => status === 'dead'));
  const reason = 'The receiver answered 410 Gone.';
  const find = async () => (await user.api().get<Integration[]>('/integrations')).body.find((each) => each.id === id);
  await eventually(async () => (await find())?.disabledReason === reason);

  const mail = await createMailbox(mailboxUrl).waitForMail(user.email, ({ subject }) => subject.includes('desativado'));
  expect(mail.subject).toBe('Seu webhook "gone" foi desativado');
  const text = mail.text.replace(/\s+/g, ' ');
  expect(text).toContain(`"gone" (número ${id}) de ${user.domain}`);
  expect(text).toContain('O motivo: o destino respondeu que não existe mais (410).');
  expect(text).toContain('/console/webhooks');

  const unsent = await deliveryOf(id, await callFor('gone'), () => true);
  expect(unsent).toMatchObject({ status: 'not-matched', reason: `The webhook is disabled: ${reason}`, attempts: [] });
  const replay = () => user.api().post<{ count: number }>(`/integrations/${id}/replay`, { from: day, to: day });
  expect(refusalOf(await replay())).toEqual({
    ...{ status: 422, name: 'UnprocessableEntityError', code: 'WEBHOOK_DISABLED' },
    message: `The webhook is disabled: ${reason}`,
  });
  const single = await user.api().post(`/integrations/${id}/deliveries/${unsent.id}/replay`);
  expect(refusalOf(single)).toMatchObject({ status: 422, code: 'NOT_MATCHED' });

  inbox.answer('/gone', (response) => response.end('back'));
  const samples = await user.api().post<Delivery[]>(`/integrations/${id}/test`);
  expect(samples.body).toMatchObject([{ status: 'delivered', attempts: [{ answer: 'back' }] }]);
  const enabled = await user.api().patch<Integration>('/integrations', { id, webhook: true });
  expect(enabled.body).toMatchObject({ id, disabledReason: null });
  expect((await replay()).body).toMatchObject({ count: 1 });
  const found = await deliveryOf(id, missed, ({ status }) => status === 'delivered');
  expect(found.attempts.map(({ status }) => status)).toEqual([410, 200]);
});

it('a replay sends delivered webhooks once more; days are those of the account', async () => {
  const { id } = await listenAt('replayed');
  const callId = await callFor('replayed');
  const delivery = await deliveryOf(id, callId, ({ status }) => status === 'delivered');
  const day = dayOf(delivery);
  const replay = async (span: object) => (await user.api().post(`/integrations/${id}/replay`, span)).body;
  expect(await replay({ from: day, to: day })).toMatchObject({ count: 0 });
  expect(await replay({ from: '2026-01-01', to: '2026-01-02', status: 'delivered' })).toMatchObject({ count: 0 });
  expect(await replay({ from: day, to: day, status: 'delivered' })).toMatchObject({ count: 1 });
  const webhooks = await inbox.waitFor('/replayed', callId, 2);
  expect(webhooks.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(`msg_${delivery.id}`));
});

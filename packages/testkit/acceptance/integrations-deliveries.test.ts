import type { Delivery, Integration } from '@sabia/client';
import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { createAdmin, type Person } from '../src/people';
import { invalid, refusalOf, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, verifyWebhook, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';

let ana: Person & { domain: string };
let inbox: WebhookInbox;

beforeAll(async () => {
  ana = await createAdmin(testStack());
  inbox = await openWebhookInbox();
});
afterAll(() => inbox?.close());

const listenAt = (gateway: string, settings: object = {}, constraint?: string): Promise<Integration> =>
  integrate(ana.api(), { gateway, url: inbox.urlOf(`/${gateway}`), settings, constraint });

const sendSamples = (id: number) => ana.api().post<Delivery[]>(`/integrations/${id}/test`);

describe('POST /integrations/{id}/test', () => {
  it('sends a signed sample of each chosen type that satisfies the constraint, and shows the result', async () => {
    const webhookTypes = ['call-priced', 'channel-create', 'channel-hangup'];
    const { id, webhookSecret } = await listenAt('sampled', { webhookTypes, webhookVersion: 'v1.4' }, '{"team":7}');
    const answer = await sendSamples(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject(
      ['channel-create', 'channel-hangup', 'call-priced'].map((eventType) => ({
        ...{ eventType, status: 'delivered', test: true, reason: null },
        attempts: [{ status: 200, answer: 'ok', error: null, at: expect.stringMatching(isoTime) as unknown }],
        payload: { version: 'v1.4', eventType, domain: ana.domain, metadata: { team: 7, test: true } },
      })),
    );
    const received = inbox.received('/sampled');
    expect(received.map(({ payload }) => payload)).toEqual(answer.body.map(({ payload }) => payload));
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(answer.body.map(({ webhookId }) => webhookId));
    received.forEach((webhook) => verifyWebhook(webhook, webhookSecret));
    // Without another zone an account is in São Paulo, three hours behind.
    const { startedAt, occurredAt } = received[0]?.payload as Record<string, string>;
    const started = Date.parse(`${startedAt?.replace(' ', 'T')}-03:00`);
    expect(Date.parse(occurredAt ?? '') - started).toBeGreaterThanOrEqual(75_000);
    expect(Date.parse(occurredAt ?? '') - started).toBeLessThan(76_000);
  });

  it('shows a failure with the first KiB of the answer, and does not try again', async () => {
    const { id } = await listenAt('broken', { webhookTypes: ['channel-hangup'] });
    inbox.answer('/broken', (response) => response.writeHead(500, { 'retry-after': '1' }).end('é'.repeat(5_000)));
    const [delivery] = (await sendSamples(id)).body;
    expect(delivery).toMatchObject({ status: 'dead', reason: 'The receiver answered 500.' });
    expect(delivery?.attempts).toMatchObject([
      { status: 500, answer: 'é'.repeat(512), latencyMs: expect.any(Number) as unknown },
    ]);
  });

  it('is refused without a webhook', async () => {
    const { id } = (await ana.api().patch<Integration>('/integrations', { gateway: 'plain' })).body;
    expect(refusalOf(await sendSamples(id))).toEqual({
      ...{ status: 422, name: 'UnprocessableEntityError', code: 'NO_WEBHOOK' },
      message: 'The integration has no webhook.',
    });
  });
});

describe('GET /integrations/{id}/deliveries', () => {
  interface Page {
    data: Delivery[];
    meta: Record<string, number>;
  }
  const page = async (id: number, number: number, filter: object) =>
    (
      await ana.api().get<Page>(`/integrations/${id}/deliveries`, {
        query: { page: String(number), filter: JSON.stringify(filter) },
      })
    ).body;

  it('gives pages, and filters by status, by call and by type', async () => {
    const { id } = await listenAt('listed', { webhookTypes: ['channel-create', 'channel-answer', 'channel-hangup'] });
    const samples = (await sendSamples(id)).body;
    inbox.answer('/listed', (response) => response.writeHead(404).end());
    const failed = (await sendSamples(id)).body;
    const first = await page(id, 1, { limit: 4 });
    expect(first.meta).toEqual({
      ...{ totalItemCount: 6, totalPageCount: 2, itemsPerPage: 4, currentPage: 1, nextPage: 2 },
    });
    const second = await page(id, 2, { limit: 4 });
    expect(second.meta).toMatchObject({ currentPage: 2, previousPage: 1 });
    expect([...first.data, ...second.data].map((each) => each.id).sort()).toEqual(
      [...samples, ...failed].map((each) => each.id).sort(),
    );
    expect(first.data.slice(0, 3)).toEqual(expect.arrayContaining(failed));

    const ids = async (where: object) => (await page(id, 1, { where })).data.map((each) => each.id).sort();
    expect(await ids({ status: 'dead' })).toEqual(failed.map((each) => each.id).sort());
    const callId = samples[0]?.payload?.id;
    for (const name of ['callId', 'call_id', 'call'])
      expect(await ids({ [name]: callId, status: 'delivered' })).toEqual(samples.map((each) => each.id).sort());
    expect(await ids({ status: { inq: ['delivered', 'dead'] }, eventType: 'channel-answer' })).toHaveLength(2);
    expect(await ids({ status: 'not-matched' })).toEqual([]);
    expect(refusalOf(await ana.api().get(`/integrations/${id}/deliveries?page=0`)).code).toBe('INVALID_PAGE');
    const strange = await ana.api().get(`/integrations/${id}/deliveries`, { query: { filter: '{"where":{"x":1}}' } });
    expect(refusalOf(strange)).toMatchObject({ status: 400, code: 'INVALID_FILTER' });
  });

  it('sends one delivery again, with the same id and body', async () => {
    const { id } = await listenAt('again', { webhookTypes: ['channel-hangup'] });
    const [sample] = (await sendSamples(id)).body;
    const path = `/integrations/${id}/deliveries/${sample?.id}/replay`;
    const answer = await ana.api().post<Delivery>(path);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: sample?.id, status: 'pending', nextAttemptAt: expect.stringMatching(isoTime) as unknown },
    });
    const received = await eventually(() => inbox.received('/again').length === 2 && inbox.received('/again'));
    expect(received[1]?.body).toBe(received[0]?.body);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([sample?.webhookId, sample?.webhookId]);
    const again = await eventually(async () => {
      const [delivery] = (await page(id, 1, {})).data;
      return delivery?.status === 'delivered' && delivery;
    });
    expect(again.attempts).toHaveLength(2);
    for (const unknown of ['x', '01234567-89ab-7cde-8f01-23456789abcd'])
      expect(refusalOf(await ana.api().post(`/integrations/${id}/deliveries/${unknown}/replay`))).toEqual(
        unknownId('delivery', unknown),
      );
  });

  it('names the errors of a replay of a span of time', async () => {
    const { id } = await listenAt('spans');
    const replay = async (body: object) => refusalOf(await ana.api().post(`/integrations/${id}/replay`, body));
    const time: [string, string] = ['format', 'must be a date or a time as in 2026-01-31 or 2026-01-31T12:00:00Z'];
    expect(await replay({ from: '2026-02-30', to: 'now', status: 'pending' })).toEqual(
      invalid('replay', { status: ['inclusion', 'must be one of dead, delivered'], from: time, to: time }),
    );
    expect(await replay({ from: '2026-01-02', to: '2026-01-01' })).toEqual(
      invalid('replay', { to: ['range', 'must not be before from'] }),
    );
    const nothing = await ana.api().post(`/integrations/${id}/replay`, { from: '2026-01-01', to: '2026-01-01' });
    expect(nothing).toMatchObject({ status: 200, body: { count: 0 } });
  });
});

describe('POST /integrations/{id}/rotate-secret', () => {
  it('makes both secrets sign for 24 hours', async () => {
    const before = await listenAt('rotated', { webhookTypes: ['channel-hangup'] });
    const path = `/integrations/${before.id}/rotate-secret`;
    const after = await ana.api().post<Integration>(path);
    expect(after).toMatchObject({ status: 200, body: { id: before.id, gateway: 'rotated' } });
    const [old, fresh] = [before.webhookSecret, after.body.webhookSecret];
    expect(fresh).not.toBe(old);
    await sendSamples(before.id);
    const [during] = inbox.received('/rotated');
    expect(during?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    verifyWebhook(during!, old);
    verifyWebhook(during!, fresh);

    const [row] = await queryDatabase<{ hours: number }>(
      testStack().postgresUrl,
      `UPDATE webhook.integrations i SET previous_secret_until = now() - interval '1 second'
       FROM webhook.integrations o WHERE o.id = i.id AND i.id = $1
       RETURNING round(extract(epoch FROM o.previous_secret_until - o.updated_at) / 3600)::int AS hours`,
      [before.id],
    );
    expect(row?.hours).toBe(24);
    await sendSamples(before.id);
    const [, later] = inbox.received('/rotated');
    verifyWebhook(later!, fresh);
    expect(() => verifyWebhook(later!, old)).toThrow();
  });
});

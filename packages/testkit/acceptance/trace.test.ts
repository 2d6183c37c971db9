import { randomBytes } from 'node:crypto';
import { topUp } from '../src/credit';
import { eventually } from '../src/eventually';
import { createAdmin, type Person } from '../src/people';
import { spawnStack, type StackProcess } from '../src/stack-process';
import { openTraceCollector, type CollectedSpan, type TraceCollector } from '../src/trace-collector';
import { openWebhookInbox, type ReceivedWebhook, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';

const types = ['channel-create', 'channel-answer', 'channel-hangup', 'call-priced'];
const services = ['sabia-billing', 'sabia-gateway', 'sabia-telephony', 'sabia-webhook'];
const taxId = '52998224725';
const secret = 'nobody-else-s-business';
const headerSecret = 'known-to-the-receiver';

const traceId = randomBytes(16).toString('hex');
const ourSpanId = randomBytes(8).toString('hex');
const traceparent = `00-${traceId}-${ourSpanId}-01`;

let collector: TraceCollector;
let inbox: WebhookInbox;
let stack: StackProcess;
let admin: Person;
let callId: string;
let webhooks: ReceivedWebhook[];
let spans: CollectedSpan[];

beforeAll(async () => {
  collector = await openTraceCollector();
  inbox = await openWebhookInbox();
  stack = await spawnStack({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
  const { testNumbers, ...file } = await stack.ready();
  admin = await createAdmin(file);
  await topUp(admin.api(), 20);
  const extension = { ramal: '2000', senha: 'segredo-2000', first_name: 'Ana', last_name: 'Silva' };
  const added = await admin.api().post('/extensions', { ...extension, email_address: admin.email, gravar_audio: 0 });
  expect(added.status).toBe(200);
  await integrate(admin.api(), {
    gateway: 'traced',
    url: inbox.urlOf(`/traced?key=${headerSecret}`),
    settings: { webhookTypes: types, webhookHeaders: { 'X-Key': headerSecret } },
  });
  await integrate(admin.api(), {
    gateway: 'named',
    url: inbox.urlOf('/named'),
    settings: { webhookTypes: types, webhookHeaders: { Traceparent: 'of-its-own' } },
  });

  const headers = { traceparent };
  expect((await admin.api().post('/accounts/financial', { cpfCnpj: taxId }, { headers })).status).toBe(200);
  const call = { extension: '2000', called: testNumbers.answer, metadata: { secret } };
  const placed = await admin.api().post<{ id: string }>('/calls', call, { headers });
  expect(placed.status).toBe(200);
  callId = placed.body.id;
  await eventually(async () => {
    const { body } = await admin.api().get<{ status: string }>(`/calls/${callId}`);
    return body.status === 'answered';
  });
  // Not part of a trace, so that the other spans are found by the call alone.
  expect((await admin.api().post(`/calls/${callId}/hangup`)).status).toBe(200);
  webhooks = await inbox.waitFor(`/traced?key=${headerSecret}`, callId, types.length);
  spans = await eventually(() => {
    const found = collector.spansOf(traceId);
    const posts = found.filter(({ name }) => name === 'POST webhook');
    if (posts.length < 2 * types.length) throw new Error(`${posts.length} spans of webhooks have come`);
    return found;
  });
});

afterAll(async () => {
  await stack?.end();
  await inbox?.close();
  await collector?.close();
});

describe('the trace of a request that places a call', () => {
  it('goes on in every webhook of that call, down to the receiver', () => {
    const sent = new Map(spans.filter(({ name }) => name === 'POST webhook').map((span) => [span.spanId, span]));
    for (const { headers, payload } of webhooks) {
      const [, trace, span, flags] = String(headers.traceparent).split('-');
      expect({ type: payload.eventType, trace, flags }).toEqual({
        type: payload.eventType,
        trace: traceId,
        flags: '01',
      });
      expect(sent.get(span ?? '')).toMatchObject({
        service: 'sabia-webhook',
        attributes: { 'sabia.event.type': payload.eventType, 'http.response.status_code': '200' },
      });
    }
  });

  it('leaves the header to a receiver that has one of its own', async () => {
    const named = await inbox.waitFor('/named', callId, types.length);
    expect(new Set(named.map(({ headers }) => headers.traceparent))).toEqual(new Set(['of-its-own']));
  });

  it('is one tree, from the gateway over telephony and billing to webhook', async () => {
    // Each process sends its spans at its own time.
    await eventually(() => {
      const all = collector.spansOf(traceId);
      const known = new Set([ourSpanId, ...all.map(({ spanId }) => spanId)]);
      expect(all.filter(({ parentSpanId }) => !known.has(parentSpanId))).toEqual([]);
      expect(all.map(({ service }) => service)).toEqual(expect.arrayContaining(services));
      const consumed = all.filter(({ name }) => name === 'consume telephony.call.ended');
      expect(consumed.map(({ service }) => service)).toContain('sabia-billing');
      return true;
    });
  });

  it('contains no token, tax id, metadata or webhook URL', () => {
    expect(spans.length).toBeGreaterThan(10);
    const everything = collector.received();
    const found = [admin.token, taxId, secret, headerSecret].filter((text) => everything.includes(text));
    expect(found).toEqual([]);
  });
});

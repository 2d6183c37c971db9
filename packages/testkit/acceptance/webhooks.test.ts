import type { Call, Integration } from '@sabia/client';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { isoTime, uuidText } from '../src/shapes';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, verifyWebhook, type ReceivedWebhook, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';

const allTypes = ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded', 'call-priced'];
const begun = ['version', 'eventType', 'id', 'domain', 'direction', 'caller', 'called', 'startedAt'];
const answered = [...begun, 'answeredAt'];
const over = [...answered, 'endedAt', 'duration', 'hangupCause', 'hangupCauseCode', 'recordUrl'];
const prices = ['minutePrice', 'callPrice', 'billedSeconds'];
const everyBody = ['eventId', 'occurredAt', 'type', 'event', 'callId'];
const keysOf: Record<string, string[]> = {
  'channel-create': [...begun, 'metadata', ...everyBody],
  'channel-answer': [...answered, 'metadata', ...everyBody],
  'channel-hangup': [...over, 'metadata', ...everyBody],
  'call-recorded': [...over, 'metadata', ...everyBody],
  'call-priced': [...over, 'metadata', ...prices, ...everyBody],
};

/** Everything that a parser would change: order, spaces, large and odd numbers, escapes. */
const metadata = `{ "zeta":1, "campaign":"x","leadId":7,
  "account" : "12", "10":"ten", "2":"two", "big":12345678901234567890, "longId": 9007199254740993, "one":1.0, "exp":1E+2,
  "alpha":{"deep":[{"ação":"João \\u00e9 😀 \\"quoted\\" \\/"}, null, true, "", [[]]]}, "empty":{}, "none":null }`;

// Half an hour beside the full hours, and never the day of Brazil for long.
const timeZone = 'Asia/Kolkata';
const { testNumbers } = testStack();
const answersAndTalks = testNumbers.answer;
let user: CallingUser;
let inbox: WebhookInbox;

beforeAll(async () => {
  inbox = await openWebhookInbox();
  user = await startCallingUser(testStack(), { recorded: true, timeZone });
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

const local = (time: string | null): string | null => {
  if (time === null) return null;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    hourCycle: 'h23',
  }).formatToParts(new Date(time));
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`;
};

function byType(webhooks: ReceivedWebhook[]): Record<string, ReceivedWebhook> {
  return Object.fromEntries(webhooks.map((webhook) => [String(webhook.payload.eventType), webhook]));
}

describe('a call that is answered, recorded and priced', () => {
  let integration: Integration;
  let call: Call;
  let webhooks: ReceivedWebhook[];

  beforeAll(async () => {
    const settings = { webhookTypes: allTypes, webhookHeaders: { 'X-Team': 'sales' } };
    integration = await integrate(user.api(), { gateway: 'all', url: inbox.urlOf('/all'), settings });
    const id = await user.place(answersAndTalks, metadata);
    await user.untilTalked(id);
    expect((await user.api().post(`/calls/${id}/hangup`)).status).toBe(200);
    call = await user.callWhen(id, ({ call_price, record_url }) => call_price !== null && record_url !== null);
    webhooks = await inbox.waitFor('/all', id, allTypes.length);
  });

  it('sends five webhooks, the first three in order', () => {
    const types = webhooks.map(({ payload }) => payload.eventType);
    expect(types.slice(0, 3)).toEqual(allTypes.slice(0, 3));
    expect([...types].sort()).toEqual([...allTypes].sort());
  });

  it('has exactly the specified fields, in their order', () => {
    for (const [type, { body }] of Object.entries(byType(webhooks))) {
      const keys = Object.keys(JSON.parse(body) as object);
      expect([type, keys]).toEqual([type, keysOf[type]]);
    }
  });

  it('has the values of the call, without fields of events that have not happened', () => {
    const told = byType(webhooks);
    const common = {
      version: '1.8',
      id: call.id,
      domain: user.domain,
      direction: 'outbound',
      caller: '2000',
      called: answersAndTalks,
      startedAt: local(call.started_at),
      metadata: JSON.parse(metadata) as unknown,
      eventId: expect.stringMatching(uuidText) as unknown,
      occurredAt: expect.stringMatching(isoTime) as unknown,
    };
    const over = {
      answeredAt: local(call.answered_at),
      endedAt: local(call.ended_at),
      duration: call.duration,
      hangupCause: 'NORMAL_CLEARING',
      hangupCauseCode: '16',
      recordUrl: call.record_url,
    };
    const payloadOf = (type: string) => told[type]?.payload;
    const named = (eventType: string) => ({ ...common, eventType, type: eventType, event: eventType, callId: call.id });
    expect(payloadOf('channel-create')).toEqual(named('channel-create'));
    expect(payloadOf('channel-answer')).toEqual({ ...named('channel-answer'), answeredAt: local(call.answered_at) });
    expect(payloadOf('channel-hangup')).toEqual({ ...named('channel-hangup'), ...over });
    expect(payloadOf('call-recorded')).toEqual({ ...named('call-recorded'), ...over });
    expect(payloadOf('call-priced')).toEqual({
      ...named('call-priced'),
      ...over,
      minutePrice: call.minute_price,
      callPrice: call.call_price,
      billedSeconds: call.billed_seconds,
    });
    expect(call.call_price).toBeGreaterThan(0);
    expect(JSON.stringify(webhooks.map(({ payload }) => ({ ...payload, metadata: 0 })))).not.toContain('""');
  });

  it('echoes the metadata to the letter', () => {
    for (const { body } of webhooks) expect(body).toContain(`,"metadata":${metadata},`);
  });

  it('is signed as Standard Webhooks asks, with an id of its own for each event, and carries the headers asked for', () => {
    for (const webhook of webhooks) {
      verifyWebhook(webhook, integration.webhookSecret);
      expect(() => verifyWebhook({ ...webhook, body: `${webhook.body} ` }, integration.webhookSecret)).toThrow();
      expect(webhook.headers).toMatchObject({ 'content-type': 'application/json', 'x-team': 'sales' });
      expect(webhook.headers['webhook-timestamp']).toMatch(/^\d{10}$/);
    }
    expect(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size).toBe(allTypes.length);
    expect(new Set(webhooks.map(({ payload }) => payload.eventId)).size).toBe(allTypes.length);
  });
});

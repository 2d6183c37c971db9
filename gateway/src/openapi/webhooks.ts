import type { Type } from 'protobufjs';
import type { Route } from '../contract/routes';
import type { DocumentPart } from './document';
import type { Schema } from './schemas';
import type { Say } from './texts';

interface WebhookEvent {
  type: string;
  /** The name of the schema of its body. */
  schema: string;
  summary: string;
  description: string;
  /** Fields that only some events have, by whether the event always has them. */
  fields: Readonly<Record<string, boolean>>;
}

const always = ['version', 'eventType', 'id', 'domain', 'direction', 'caller', 'called', 'startedAt'];
const last = ['metadata', 'eventId', 'occurredAt', 'type', 'event', 'callId'];
const over = { endedAt: true, duration: true, hangupCause: true, hangupCauseCode: true };

const events: readonly WebhookEvent[] = [
  {
    type: 'channel-create',
    schema: 'ChannelCreate',
    summary: 'A call was accepted',
    description: 'The call was accepted; the softphone of the extension is about to ring.',
    fields: {},
  },
  {
    type: 'channel-answer',
    schema: 'ChannelAnswer',
    summary: 'A call was answered',
    description: 'The destination has answered.',
    fields: { answeredAt: true },
  },
  {
    type: 'channel-hangup',
    schema: 'ChannelHangup',
    summary: 'A call has ended',
    description:
      'The call is over. It comes exactly once for every call, answered or not. `recordUrl` is there if the call was recorded, and can be fetched at once.',
    fields: { answeredAt: false, ...over, recordUrl: false },
  },
  {
    type: 'call-recorded',
    schema: 'CallRecorded',
    summary: 'A recording is ready',
    description: 'The recording can be fetched from `recordUrl`. Only for extensions with `gravar_audio` 1.',
    fields: { answeredAt: false, ...over, recordUrl: true },
  },
  {
    type: 'call-priced',
    schema: 'CallPriced',
    summary: 'A call has its price',
    description:
      'Seconds after its end, the call has its price. `recordUrl` is there if the recording was ready by then.',
    fields: { answeredAt: false, ...over, recordUrl: false, minutePrice: true, callPrice: true, billedSeconds: true },
  },
];

/** The types of events that webhooks tell of. */
export const webhookTypes: readonly string[] = events.map(({ type }) => type);

const PAYLOAD = 'sabia.webhook.v1.WebhookPayload';

/** The requests that receivers get. */
export function webhooksPart([route]: Route[]): DocumentPart {
  // Every message of the protos can be found from any other.
  const payload = route?.rpc.requestType.root.lookupType(PAYLOAD);
  return (builder) => ({
    webhooks:
      payload === undefined
        ? {}
        : Object.fromEntries(events.map((event) => [event.type, { post: operationOf(event, payload, builder) }])),
  });
}

function operationOf(
  { type, schema, summary, description, fields }: WebhookEvent,
  payload: Type,
  { say, schemas }: Parameters<DocumentPart>[0],
): object {
  const named = { const: type, examples: [type] };
  const body = schemas.selection(payload, {
    name: schema,
    description,
    fields: { ...allOf(always), ...fields, ...allOf(last) },
    fixed: { eventType: named, type: named, event: named },
  });
  return {
    operationId: `on${schema}`,
    summary: say(summary),
    description: [description, sent].map((text) => say(text)).join('\n\n'),
    tags: ['integrations'],
    security: [],
    parameters: signatureHeaders(say),
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: say('Any 2xx within 15 seconds: the webhook has arrived.') },
      '410': { description: say('The receiver is gone: the webhook is disabled.') },
      default: {
        description: say(
          'Anything else, redirects included, is a failure: the webhook is sent again after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours. Retry-After is honoured.',
        ),
      },
    },
  };
}

const sent =
  'Sent to `metadata.webhookUrl` of each integration that has chosen this type and whose `webhookConstraint` matches. A field without a value is left out; with `metadata.webhookNulls` true it is null instead. New fields may come.';

const allOf = (names: readonly string[]): Record<string, boolean> =>
  Object.fromEntries(names.map((name) => [name, true]));

function signatureHeaders(say: Say): object[] {
  const header = (name: string, description: string, schema: Schema, example: unknown): object => ({
    ...{ name, in: 'header', required: true, description: say(description), schema, example },
  });
  const text: Schema = { type: 'string' };
  return [
    header(
      'webhook-id',
      'The id of this webhook, the same on every attempt.',
      text,
      '019ec2d5-95be-7000-8000-000000000003',
    ),
    header(
      'webhook-timestamp',
      'When this attempt was signed, in seconds since 1970. Refuse one that is more than five minutes off.',
      text,
      '1773165668',
    ),
    header(
      'webhook-signature',
      'One or several signatures with a space between them, each `v1,` and the base64 of the HMAC-SHA256 over id, timestamp and body with a dot between each, as Standard Webhooks describes. The key is `webhookSecret` without `whsec_`, decoded from base64.',
      text,
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
    header(
      'x-webhook-signature',
      '`sha256=` and the HMAC-SHA256 of the body in hex; the key is `webhookSecret` as it is shown. For receivers that were written for other senders.',
      text,
      'sha256=2f5d5d8f0d6b2d2b7c0a5e5c5d7d1f3e8a9b0c1d2e3f405162738495a6b7c8d9',
    ),
  ];
}

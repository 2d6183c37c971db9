import type { Limits } from '../limits/allowance';
import type { OpenApiDocument } from '../openapi/document';
import type { Schema } from '../openapi/schemas';
import { allKinds, allNames } from './event-names';
import { eventsTemplate } from './events-endpoint';

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const time: Schema = { type: 'string', format: 'date-time' };
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] });

/** The JSON in the data of an event. Which fields it has depends on its type. */
const dataSchema: Schema = {
  type: 'object',
  required: ['id', 'type', 'at'],
  properties: {
    id: { ...text, description: 'Of the event itself; the same if it should ever be told twice.' },
    type: { type: 'string', enum: [...allNames, 'reset'] },
    at: time,
    callId: text,
    ramal: text,
    domain: text,
    chargeId: number,
    integrationId: number,
    deliveryId: text,
    status: text,
    callType: text,
    from: text,
    to: text,
    userId: number,
    startedAt: orNull(time),
    answeredAt: orNull(time),
    endedAt: orNull(time),
    duration: number,
    hangupCause: orNull(text),
    hangupCauseCode: orNull(text),
    missingSeconds: number,
    minutePrice: number,
    callPrice: number,
    billedSeconds: number,
    balance: number,
    reserved: number,
    available: number,
    amount: number,
    paidAmount: number,
    refundedAmount: number,
    eventType: text,
    reason: orNull(text),
    responseStatus: orNull(number),
    latencyMs: orNull(number),
    nextAttemptAt: orNull(time),
    test: { type: 'boolean' },
  },
};

/** GET /events for the OpenAPI document: it belongs to no rpc. */
export function eventsPaths(limits: Limits, perUser: number): OpenApiDocument['paths'] {
  const parameter = (name: string, place: string, schema: Schema) => ({ name, in: place, required: false, schema });
  return {
    [eventsTemplate]: {
      get: {
        operationId: 'FollowEvents',
        summary: 'Follows what happens in the account, as server-sent events',
        description:
          `Needs an access token. At most ${limits.OTHER} a minute per IP address, and ${perUser} open at a time per user. ` +
          'The stream goes on until one side ends it, and ends when the token does. With the id of the last event it resumes ' +
          'after that event, for at least 24 hours; an event "reset" tells that events may be missing.',
        tags: ['events'],
        security: [{ token: [] }],
        parameters: [
          parameter('types', 'query', {
            type: 'string',
            description: `Names and kinds, separated by commas: ${allKinds.map((kind) => `${kind}.*`).join(', ')}`,
          }),
          parameter('callId', 'query', { type: 'string', format: 'uuid' }),
          parameter('user', 'query', {
            type: 'string',
            format: 'uuid',
            description: 'For whom the page listens; refused with 403 if another user is logged in by now.',
          }),
          parameter('lastEventId', 'query', text),
          parameter('Last-Event-ID', 'header', text),
        ],
        responses: {
          200: { description: 'A stream of events', content: { 'text/event-stream': { schema: dataSchema } } },
          default: { $ref: '#/components/responses/Error' },
        },
      },
    },
  };
}

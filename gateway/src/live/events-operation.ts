import type { Route } from '../contract/routes';
import type { DocumentPart } from '../openapi/document';
import { errorsOfAdmission, rateLimitOf } from '../openapi/operation';
import type { Parameter } from '../openapi/parameters';
import { headerReferences, successHeaders } from '../openapi/response-headers';
import type { Schema } from '../openapi/schemas';
import { securityOf } from '../openapi/security';
import { allKinds } from './event-names';
import { eventsTemplate } from './events-endpoint';

const messages = [
  'LiveCallEvent',
  'LiveCallRatedEvent',
  'LiveExtensionEvent',
  'LiveBalanceEvent',
  'LiveChargeEvent',
  'LiveDeliveryEvent',
  'LiveResetEvent',
];

/** GET /events for the OpenAPI document: it belongs to no rpc. */
export const eventsPart =
  ([route]: Route[], perUser: number): DocumentPart =>
  (builder) => {
    const { say, schemas, errors } = builder;
    const root = route?.rpc.requestType.root;
    if (root === undefined) {
      return {};
    }
    const event = schemas.add('LiveEvent', {
      description: say('The JSON in the `data` of an event. `type` says which of these it is. New types may come.'),
      anyOf: messages.map((name) => schemas.message(root.lookupType(`sabia.events.v1.${name}`), 'response')),
    });
    const parameter = (
      place: string,
      name: string,
      description: string,
      schema: Schema,
      example: string,
    ): Parameter => ({
      ...{ name, in: place, required: false, description, schema, example },
    });
    const operation = { access: 'TOKEN', rateLimit: 'OTHER' } as const;
    return {
      paths: {
        [eventsTemplate]: {
          get: {
            operationId: 'followEvents',
            summary: say('Follows what happens in the account, as server-sent events.'),
            description: [
              say(
                'The stream goes on until one side ends it, and ends when the token does. With the id of the last event it resumes after that event, for at least 24 hours; an event `reset` tells that events may be missing. A line every 15 seconds keeps the connection open.',
              ),
              `${builder.admission(operation)} ${say('At most {perUser} streams are open at a time per user.', { perUser })}`,
            ].join('\n\n'),
            tags: ['events'],
            security: securityOf(operation.access),
            parameters: [
              parameter(
                'query',
                'types',
                say('Names and kinds, separated by commas; the kinds are {kinds}. All of them if it is not given.', {
                  kinds: allKinds.map((kind) => `\`${kind}.*\``).join(', '),
                }),
                { type: 'string' },
                'call.*,balance.changed',
              ),
              parameter(
                'query',
                'callId',
                say('Only events of this call.'),
                { type: 'string', format: 'uuid' },
                '019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05',
              ),
              parameter(
                'query',
                'user',
                say(
                  'The uuid of the user for whom a page listens; refused with 403 if another user is logged in by now.',
                ),
                { type: 'string', format: 'uuid' },
                'b2d88c90-cecc-4bf2-8102-9beced3c7b3e',
              ),
              parameter(
                'query',
                'lastEventId',
                say('The same as the header Last-Event-ID, for pages that cannot set it.'),
                { type: 'string' },
                'mhx2k1q0-7d',
              ),
              parameter(
                'header',
                'Last-Event-ID',
                say('The id of the last event that the client has: the stream goes on after it.'),
                { type: 'string' },
                'mhx2k1q0-7d',
              ),
            ],
            responses: {
              200: {
                description: say('A stream of events.'),
                headers: headerReferences(successHeaders),
                content: { 'text/event-stream': { schema: event } },
              },
              ...errors.of([
                'INVALID_EVENT_TYPE',
                'INVALID_CALL_ID',
                'INVALID_PARAMETER',
                ...errorsOfAdmission(operation),
                'ANOTHER_USER',
                'TOO_MANY_STREAMS',
              ]),
            },
            'x-rate-limit': rateLimitOf(operation, builder),
          },
        },
      },
    };
  };

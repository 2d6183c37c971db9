import { badRequest } from '@sabia/service-kit/errors';
import { parseTemplate } from '../contract/http-rule';
import type { Endpoint } from '../endpoints/endpoint';
import { anotherUser } from '../errors/http-error';
import type { Exchange } from '../http/exchange';
import { readNames } from './event-names';
import type { EventFilter } from './event-stream';
import type { EventStreams } from './event-streams';

export const eventsTemplate = '/api/v1/events';

/** GET /events: what happens in the caller's account, as server-sent events. A response without end is nothing that an rpc can declare. */
export function createEventsEndpoint(streams: EventStreams): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(eventsTemplate),
    template: eventsTemplate,
    model: 'event',
    access: 'TOKEN',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange) {
      await exchange.ignoreBody();
      refuseAnotherUser(exchange);
      const filter = readFilter(exchange);
      const lastEventId = lastEventIdOf(exchange);
      const response = { status: 200, contentType: 'text/event-stream; charset=utf-8', headers: unbuffered };
      if (exchange.method === 'HEAD') {
        return { ...response, body: '' };
      }
      const { caller, credential } = exchange;
      const stream = await streams.prepare({ caller: caller!, credential: credential!, filter, lastEventId });
      return { ...response, stream };
    },
  };
}

/** EventSource connects again with the cookie of whoever has logged in since: a page names the user for whom it listens. */
function refuseAnotherUser(exchange: Exchange): void {
  const user = textOf('user', exchange.query()['user']);
  if (user !== undefined && user.toLowerCase() !== exchange.caller?.userUuid) {
    throw anotherUser();
  }
}

/** nginx would hold events back otherwise. */
const unbuffered = { 'x-accel-buffering': 'no' };

const callIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function readFilter(exchange: Exchange): EventFilter {
  const { types, callId } = exchange.query();
  const id = textOf('callId', callId);
  if (id !== undefined && !callIdPattern.test(id)) {
    throw badRequest('INVALID_CALL_ID', 'The "callId" parameter must be the id of a call.');
  }
  const names = Array.isArray(types) ? types.join(',') : textOf('types', types);
  return { names: readNames(names), callId: id?.toLowerCase() };
}

/** EventSource sends the header when it connects again by itself; a page that was loaded anew can only set the parameter. */
function lastEventIdOf(exchange: Exchange): string | undefined {
  const header = exchange.request.headers['last-event-id'];
  return textOf('lastEventId', header ?? exchange.query()['lastEventId']);
}

/** Undefined if it is absent or empty. */
function textOf(name: string, value: unknown): string | undefined {
  if (value !== undefined && typeof value !== 'string') {
    throw badRequest('INVALID_PARAMETER', `The "${name}" parameter must be given once.`);
  }
  const text = value?.trim();
  return text === '' ? undefined : text;
}

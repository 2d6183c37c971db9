import { ListHandledEventsResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { badRequest } from '@sabia/service-kit/errors';
import { isEventId } from '@sabia/service-kit/events/outbox';
import { callEventsDurable } from '../events/on-call-events';
import { listHandled } from '../storage/handled-events';
import type { Dependencies, Handler } from './dependencies';

/** For telephony, which publishes again the events that were not handled. */
export function listHandledEvents({ database }: Dependencies): Handler<'listHandledEvents'> {
  return async ({ eventIds }) => {
    if (!eventIds.every(isEventId)) {
      throw badRequest('INVALID_EVENT_ID', 'An event id is not a uuid.');
    }
    return ListHandledEventsResponse.fromPartial({
      eventIds: await listHandled(database, callEventsDurable, eventIds),
    });
  };
}

import { CallRated } from '@sabia/protos/sabia/billing/v1/events';
import { CallAnswered, CallCreated, CallEnded, CallRecorded } from '@sabia/protos/sabia/telephony/v1/events';
import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/consumer';
import type { EventType } from '../domain/event-type';

interface Reader {
  type: EventType;
  decode: (payload: Buffer) => { call?: CallSnapshot | undefined };
}

const readers: Record<string, Reader> = {
  'telephony.call.created': { type: 'channel-create', decode: (payload) => CallCreated.decode(payload) },
  'telephony.call.answered': { type: 'channel-answer', decode: (payload) => CallAnswered.decode(payload) },
  'telephony.call.ended': { type: 'channel-hangup', decode: (payload) => CallEnded.decode(payload) },
  'telephony.call.recorded': { type: 'call-recorded', decode: (payload) => CallRecorded.decode(payload) },
};

export const ratedType = 'billing.call.rated';

/** Every event that webhook listens to. */
export const callEventTypes = [...Object.keys(readers), ratedType];

export type ReadEvent =
  | { event: ReceivedEvent; type: Exclude<EventType, 'call-priced'>; call: CallSnapshot }
  | { event: ReceivedEvent; type: 'call-priced'; rated: CallRated };

export function readCallEvent(event: ReceivedEvent): ReadEvent {
  if (event.type === ratedType) {
    return { event, type: 'call-priced', rated: CallRated.decode(event.payload) };
  }
  const reader = readers[event.type];
  const call = reader?.decode(event.payload).call;
  if (reader === undefined || call === undefined) {
    throw new TypeError(`${event.type} ${event.id} tells of no call`);
  }
  return { event, type: reader.type as Exclude<EventType, 'call-priced'>, call };
}

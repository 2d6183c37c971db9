import { billingEvents } from '@sabia/protos/events/billing';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import type { CallRated } from '@sabia/protos/sabia/billing/v1/events';
import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import type { EventType } from '../domain/event-type';

const { callCreated, callAnswered, callEnded, callRecorded } = telephonyEvents;
const { callRated } = billingEvents;

/** Every event about calls that webhook handles. */
export const handledEvents = [callCreated, callAnswered, callEnded, callRecorded, callRated];

export type HandledEvent = ReceivedEvent<(typeof handledEvents)[number]>;

export type ReadEvent =
  | { event: HandledEvent; type: Exclude<EventType, 'call-priced'>; call: CallSnapshot }
  | { event: HandledEvent; type: 'call-priced'; rated: CallRated };

const webhookTypes = {
  [callCreated.type]: 'channel-create',
  [callAnswered.type]: 'channel-answer',
  [callEnded.type]: 'channel-hangup',
  [callRecorded.type]: 'call-recorded',
} as const;

export function readCallEvent(event: HandledEvent): ReadEvent {
  if (event.type === callRated.type) {
    return { event, type: 'call-priced', rated: event.message };
  }
  const { call } = event.message;
  if (call === undefined) {
    throw new TypeError(`${event.type} ${event.id} has no call`);
  }
  return { event, type: webhookTypes[event.type], call };
}

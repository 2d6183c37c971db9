import { telephonyEvents } from '@sabia/protos/events/telephony';
import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import { eventIdOf, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Call, NewCall } from '../domain/call';
import type { RegistrationEvent } from '../domain/registration-event';
import type { RatedCall } from '../storage/prices';

/** Every event that telephony publishes. */

export const callCreated = (call: NewCall): OutgoingEvent =>
  outgoingEvent(
    telephonyEvents.callCreated,
    { call: CallSnapshot.fromPartial({ durationSeconds: 0, ...identityOf(call) }) },
    { accountId: call.accountId, occurredAt: call.startedAt, trace: traceOf(call) },
  );

export const callRinging = (call: Call, at: Date): OutgoingEvent =>
  outgoingEvent(
    telephonyEvents.callRinging,
    { call: snapshotOf(call) },
    {
      id: eventIdOf(telephonyEvents.callRinging, call.id),
      accountId: call.accountId,
      occurredAt: at,
      trace: traceOf(call),
    },
  );

export const callAnswered = (call: Call): OutgoingEvent =>
  outgoingEvent(
    telephonyEvents.callAnswered,
    { call: snapshotOf(call) },
    { accountId: call.accountId, occurredAt: call.answeredAt!, trace: traceOf(call) },
  );

/** The same id however often the end of the call is published. */
export const callEndedId = ({ id }: Pick<Call, 'id'>): string => eventIdOf(telephonyEvents.callEnded, id);

/** `recordUrl`: where the audio of a recorded call will be available in a moment. */
export const callEnded = (call: Call, recordUrl?: string): OutgoingEvent =>
  outgoingEvent(
    telephonyEvents.callEnded,
    { call: { ...snapshotOf(call), recordUrl } },
    { id: callEndedId(call), accountId: call.accountId, occurredAt: call.endedAt!, trace: traceOf(call) },
  );

export const callRecorded = (call: Call, at: Date, missingSeconds: number): OutgoingEvent =>
  outgoingEvent(
    telephonyEvents.callRecorded,
    { call: snapshotOf(call), ...(missingSeconds > 0 && { missingSeconds }) },
    { accountId: call.accountId, occurredAt: at, trace: traceOf(call) },
  );

/** The same id however often billing tells the price. */
export const callPriced = (
  { callId, accountId, minutePrice, callPrice, billedSeconds }: RatedCall,
  trace: OutgoingEvent['trace'],
): OutgoingEvent =>
  outgoingEvent(
    telephonyEvents.callPriced,
    { callId, minutePrice, callPrice, billedSeconds },
    { id: eventIdOf(telephonyEvents.callPriced, callId), accountId, trace },
  );

const registrationEvents = {
  registered: telephonyEvents.extensionRegistered,
  unregistered: telephonyEvents.extensionUnregistered,
  displaced: telephonyEvents.extensionDisplaced,
};

export const registrationChanged = ({ kind, domain, ramal, at }: RegistrationEvent, accountId: number): OutgoingEvent =>
  outgoingEvent(registrationEvents[kind], { domain, ramal, at }, { accountId, occurredAt: at });

const traceOf = ({ traceparent }: Pick<Call, 'traceparent'>): OutgoingEvent['trace'] =>
  traceparent === null ? undefined : { traceparent };

const identityOf = (call: NewCall | Call) => ({
  callId: call.id,
  domain: call.domain,
  callType: call.type,
  from: call.from,
  to: call.to,
  startedAt: call.startedAt,
  metadata: call.metadata,
  userId: call.userId,
  timeZone: call.timeZone,
});

const snapshotOf = (call: Call): CallSnapshot =>
  CallSnapshot.fromPartial({
    answeredAt: call.answeredAt ?? undefined,
    endedAt: call.endedAt ?? undefined,
    durationSeconds: call.duration ?? 0,
    hangupCause: call.hangupCause ?? undefined,
    hangupCauseCode: call.hangupCauseCode ?? undefined,
    recordUrl: call.recordUrl ?? undefined,
    ...identityOf(call),
  });

import {
  CallAnswered,
  CallCreated,
  CallEnded,
  CallRecorded,
  CallSnapshot,
  ExtensionDisplaced,
  ExtensionRegistered,
  ExtensionUnregistered,
} from '@sabia/protos/sabia/telephony/v1/events';
import { eventIdOf } from '@sabia/service-kit/events/event-id';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Call, NewCall } from '../domain/call';
import type { RegistrationEvent } from '../domain/registration-event';

/** Every event that telephony publishes. */

export const callCreated = (call: NewCall): OutgoingEvent => ({
  type: 'telephony.call.created',
  accountId: call.accountId,
  occurredAt: call.startedAt,
  trace: traceOf(call),
  payload: CallCreated.encode({ call: CallSnapshot.fromPartial({ ...identityOf(call), durationSeconds: 0 }) }).finish(),
});

export const callAnswered = (call: Call): OutgoingEvent => ({
  type: 'telephony.call.answered',
  accountId: call.accountId,
  occurredAt: call.answeredAt!,
  trace: traceOf(call),
  payload: CallAnswered.encode({ call: snapshotOf(call) }).finish(),
});

/** The same each time the end of a call is published. */
export const callEndedId = ({ id }: Pick<Call, 'id'>): string => eventIdOf('telephony.call.ended', id);

/** `recordUrl` of a recorded call: its audio will be there in a moment. */
export const callEnded = (call: Call, recordUrl?: string): OutgoingEvent => ({
  id: callEndedId(call),
  type: 'telephony.call.ended',
  accountId: call.accountId,
  occurredAt: call.endedAt!,
  trace: traceOf(call),
  payload: CallEnded.encode({ call: { ...snapshotOf(call), recordUrl } }).finish(),
});

export const callRecorded = (call: Call, at: Date, missingSeconds: number): OutgoingEvent => ({
  type: 'telephony.call.recorded',
  accountId: call.accountId,
  occurredAt: at,
  trace: traceOf(call),
  payload: CallRecorded.encode({
    call: snapshotOf(call),
    ...(missingSeconds > 0 && { missingSeconds }),
  }).finish(),
});

const registrationMessages = {
  registered: ExtensionRegistered,
  unregistered: ExtensionUnregistered,
  displaced: ExtensionDisplaced,
};

export const registrationChanged = (
  { kind, domain, ramal, at }: RegistrationEvent,
  accountId: number,
): OutgoingEvent => ({
  type: `telephony.extension.${kind}`,
  accountId,
  occurredAt: at,
  payload: registrationMessages[kind].encode({ domain, ramal, at }).finish(),
});

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
    ...identityOf(call),
    answeredAt: call.answeredAt ?? undefined,
    endedAt: call.endedAt ?? undefined,
    durationSeconds: call.duration ?? 0,
    hangupCause: call.hangupCause ?? undefined,
    hangupCauseCode: call.hangupCauseCode ?? undefined,
    recordUrl: call.recordUrl ?? undefined,
  });

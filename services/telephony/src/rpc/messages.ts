import type { Call } from '@sabia/protos/sabia/telephony/v1/messages';
import type { Call as DomainCall } from '../domain/call';

export const toMessage = (call: DomainCall): Call => ({
  id: call.id,
  domain: call.domain,
  call_type: call.type,
  started_at: call.startedAt,
  ended_at: call.endedAt ?? undefined,
  from: call.from,
  to: call.to,
  duration: call.duration ?? 0,
  hangup_cause: call.hangupCause ?? undefined,
  record_url: call.recordUrl ?? undefined,
  email: call.email,
  first_name: call.firstName,
  last_name: call.lastName,
  BINA: call.bina ?? undefined,
  minute_price: call.minutePrice ?? undefined,
  call_price: call.callPrice ?? undefined,
  metadata: call.metadata,
  answered_at: call.answeredAt ?? undefined,
  billed_seconds: call.billedSeconds ?? undefined,
  status: call.status,
});

/** Numbers of the message's fields, by column: the rows of a list go from the database to the wire without a message in between. */
export const callFields = {
  id: 1,
  domain: 2,
  call_type: 3,
  started_at: 4,
  ended_at: 5,
  from_number: 6,
  to_number: 7,
  duration: 8,
  hangup_cause: 9,
  record_url: 10,
  email: 11,
  first_name: 12,
  last_name: 13,
  bina: 14,
  minute_price: 15,
  call_price: 16,
  metadata: 17,
  answered_at: 18,
  billed_seconds: 19,
  status: 20,
};

import type { Call } from '@sabia/protos/sabia/telephony/v1/messages';
import type { ListedCall } from '../domain/call';

export const toMessage = (call: ListedCall): Call => ({
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
  direction: call.type,
  called: call.called ?? call.to,
});

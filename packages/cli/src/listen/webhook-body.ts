import type { Call, LiveEvent, WebhookEvent } from '@sabia/client';
import { hangupCauses } from './hangup-causes';

export type WebhookType = WebhookEvent['eventType'];

/** The webhook that Sabiá sends for each event; it sends none for the others. */
const typesByEvent = {
  'call.created': 'channel-create',
  'call.answered': 'channel-answer',
  'call.ended': 'channel-hangup',
  'call.recorded': 'call-recorded',
  'call.rated': 'call-priced',
} as const satisfies Partial<Record<LiveEvent['type'], WebhookType>>;

export const webhookTypes: readonly WebhookType[] = Object.values(typesByEvent);
export const eventTypes: readonly string[] = Object.keys(typesByEvent);

/** An event of a call that webhooks are sent for. */
export type ToldEvent = Extract<LiveEvent, { callId: string }> & { type: keyof typeof typesByEvent };

export const isTold = (event: LiveEvent): event is ToldEvent => event.type in typesByEvent;

export const webhookTypeOf = ({ type }: ToldEvent): WebhookType => typesByEvent[type];

export type ToldCall = Pick<
  Call,
  | 'id'
  | 'domain'
  | 'call_type'
  | 'from'
  | 'to'
  | 'started_at'
  | 'answered_at'
  | 'ended_at'
  | 'duration'
  | 'hangup_cause'
  | 'record_url'
  | 'metadata'
>;

export interface Price {
  minutePrice: number;
  callPrice: number;
  billedSeconds: number;
}

export interface Occurrence {
  id: string;
  at: string;
  /** Of a call that is priced. */
  price?: Price;
}

/** The body of the webhook, with the fields and the order of Sabiá's own. What has no value for the event is left out. */
export function webhookBody(
  type: WebhookType,
  { id, at, price }: Occurrence,
  call: ToldCall,
  timeZone: string,
): string {
  const over = type !== 'channel-create' && type !== 'channel-answer';
  const time = (at: string | null) => (at === null ? undefined : localTime(at, timeZone));
  const whenOver = <T>(value: T | null): T | undefined => (over ? (value ?? undefined) : undefined);
  const code = call.hangup_cause === null ? undefined : hangupCauses[call.hangup_cause];
  return JSON.stringify({
    version: '1.8',
    eventType: type,
    id: call.id,
    domain: call.domain,
    direction: call.call_type === 'inbound' ? 'inbound' : 'outbound',
    caller: call.from,
    called: call.to,
    startedAt: time(call.started_at),
    answeredAt: type === 'channel-create' ? undefined : time(call.answered_at),
    endedAt: whenOver(time(call.ended_at)),
    duration: whenOver(call.duration),
    hangupCause: whenOver(call.hangup_cause),
    hangupCauseCode: whenOver(code === undefined ? undefined : String(code)),
    recordUrl: whenOver(call.record_url),
    metadata: call.metadata,
    ...price,
    eventId: id,
    occurredAt: new Date(at).toISOString(),
    type,
    event: type,
    callId: call.id,
  });
}

/** YYYY-MM-DD HH:MM:SS */
function localTime(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date(at));
}

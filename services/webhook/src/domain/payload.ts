import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { EventType } from './event-type';
import { writeTime } from './local-time';
import type { WebhookSettings } from './webhook-settings';

export interface Price {
  /** In 1/10000 real. */
  minutePrice: number;
  callPrice: number;
  billedSeconds: number;
}

export interface CallEvent {
  id: string;
  type: EventType;
  occurredAt: Date;
  call: CallSnapshot;
  price?: Price;
}

/** The form of the body that the receiver wants. */
export type PayloadForm = Pick<WebhookSettings, 'version' | 'nulls'>;

/**
 * The body of a webhook. A field without a value for this event is left out, because typed receivers expect a string or nothing;
 * receivers that ask for nulls get null. The metadata goes in as the text that the client sent: parsed and written again, a large
 * number or the order of the keys would change.
 */
export function writePayload(event: CallEvent, { version, nulls = false }: PayloadForm): string {
  const { call, type } = event;
  const over = type !== 'channel-create' && type !== 'channel-answer';
  const none = nulls ? null : undefined;
  const time = (at: Date | undefined) => (at === undefined ? none : writeTime(at, call.timeZone));
  const head = {
    version,
    eventType: type,
    id: call.callId,
    domain: call.domain,
    direction: call.callType === 'inbound' ? 'inbound' : 'outbound',
    caller: call.from,
    called: call.to,
    startedAt: time(call.startedAt),
    answeredAt: type === 'channel-create' ? none : time(call.answeredAt),
    endedAt: over ? time(call.endedAt) : none,
    duration: over ? call.durationSeconds : none,
    hangupCause: over ? (call.hangupCause ?? none) : none,
    hangupCauseCode: over ? (call.hangupCauseCode ?? none) : none,
    recordUrl: over ? (call.recordUrl ?? none) : none,
  };
  const tail = { eventId: event.id, occurredAt: event.occurredAt.toISOString(), ...aliases(call, type) };
  const metadata = call.metadata.trim() === '' ? '{}' : call.metadata;
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadata},${writePrice(event.price)}${JSON.stringify(tail).slice(1)}`;
}

/** Alternative names under which some receivers read the type of the event and the id of the call. */
const aliases = ({ callId }: CallSnapshot, type: EventType) => ({ type, event: type, callId });

function writePrice(price: Price | undefined): string {
  if (price === undefined) {
    return '';
  }
  return `"minutePrice":${writeMoney(price.minutePrice)},"callPrice":${writeMoney(price.callPrice)},"billedSeconds":${price.billedSeconds},`;
}

const moneyPlaces = 4;

/** A decimal number of reais, without rounding through binary fractions. */
function writeMoney(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(moneyPlaces + 1, '0');
  const fraction = digits.slice(-moneyPlaces).replace(/0+$/, '');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -moneyPlaces)}${fraction === '' ? '' : `.${fraction}`}`;
}

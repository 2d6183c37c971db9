import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { EventType } from './event-type';
import { writeTime } from './local-time';

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

/**
 * The body of a webhook. The metadata goes in as the text that the caller wrote: parsed and written again, a large number or
 * the order of the keys would change.
 */
export function writePayload(event: CallEvent, version: string): string {
  const { call, type } = event;
  const over = type !== 'channel-create' && type !== 'channel-answer';
  const time = (at: Date | undefined): string | null => (at === undefined ? null : writeTime(at, call.timeZone));
  const head = {
    version,
    eventType: type,
    id: call.callId,
    domain: call.domain,
    direction: call.callType === 'inbound' ? 'inbound' : 'outbound',
    caller: call.from,
    called: call.to,
    startedAt: time(call.startedAt),
    answeredAt: type === 'channel-create' ? null : time(call.answeredAt),
    endedAt: over ? time(call.endedAt) : null,
    duration: over ? call.durationSeconds : null,
    hangupCause: over ? (call.hangupCause ?? null) : null,
    hangupCauseCode: over ? (call.hangupCauseCode ?? null) : null,
    recordUrl: over ? (call.recordUrl ?? null) : null,
  };
  const tail = { eventId: event.id, occurredAt: event.occurredAt.toISOString() };
  const metadata = call.metadata.trim() === '' ? '{}' : call.metadata;
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadata},${writePrice(event.price)}${JSON.stringify(tail).slice(1)}`;
}

function writePrice(price: Price | undefined): string {
  if (price === undefined) {
    return '';
  }
  return `"minutePrice":${writeMoney(price.minutePrice)},"callPrice":${writeMoney(price.callPrice)},"billedSeconds":${price.billedSeconds},`;
}

const moneyPlaces = 4;

/** A decimal number of reais without a trip through binary fractions. */
function writeMoney(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(moneyPlaces + 1, '0');
  const fraction = digits.slice(-moneyPlaces).replace(/0+$/, '');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -moneyPlaces)}${fraction === '' ? '' : `.${fraction}`}`;
}

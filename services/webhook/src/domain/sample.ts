import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { JsonObject } from './json-object';
import type { CallEvent } from './payload';
import type { EventType } from './event-type';

export interface SampleOptions {
  id: string;
  callId: string;
  type: EventType;
  domain: string;
  timeZone: string;
  /** The pairs of the constraint, so that a sample looks like a call that matches. */
  metadata: JsonObject;
  now: Date;
}

const second = 1_000;
/** The recording of a made-up call. */
const sampleRecording = 'https://example.com/sample.wav';

/** An event of a made-up call. */
export function sampleEvent({ id, callId, type, domain, timeZone, metadata, now }: SampleOptions): CallEvent {
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * second);
  return {
    id,
    type,
    occurredAt: now,
    call: CallSnapshot.fromPartial({
      callId,
      domain,
      callType: 'outbound',
      from: '1000',
      to: '5511987654321',
      startedAt: before(75),
      answeredAt: before(60),
      endedAt: now,
      durationSeconds: 60,
      hangupCause: 'NORMAL_CLEARING',
      hangupCauseCode: '16',
      recordUrl: sampleRecording,
      metadata: JSON.stringify({ ...metadata, test: true }),
      timeZone,
    }),
    price: type === 'call-priced' ? { minutePrice: 1_200, callPrice: 1_200, billedSeconds: 60 } : undefined,
  };
}

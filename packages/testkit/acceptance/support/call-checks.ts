import type { Call } from '@sabia/client';
import { request } from 'undici';
import type { CallRoom, CallWebhook } from '../../src/call-room';
import { promised } from '../../src/promised';
import { findTone, measureSound, type Sound, type Tone } from '../../src/softphone/wave-file';

export interface Ending {
  cause: string;
  code: string;
  /** True if the call was answered, so that there is a recording, too. */
  answered: boolean;
  callType?: 'outbound' | 'inbound' | 'internal';
  from?: string;
  to?: string;
}

const localTime = new Intl.DateTimeFormat('sv-SE', {
  ...{ timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'medium' },
});
const toLocal = (time: string | null): string | undefined =>
  time === null ? undefined : localTime.format(new Date(time));

/** Compares record and events of an ended call with the expected outcome. */
export async function expectEnding(room: CallRoom, id: string, ending: Ending): Promise<Call> {
  const { cause, code, answered } = ending;
  const call = await room.when(
    id,
    ({ status, record_url }) => status === 'ended' && (!answered || record_url !== null),
  );
  expect(call).toMatchObject({
    ...{ hangup_cause: cause, call_type: ending.callType ?? 'outbound' },
    ...(ending.from !== undefined && { from: ending.from }),
    ...(ending.to !== undefined && { to: ending.to }),
  });
  expectTimes(call, answered);

  const types = answered
    ? ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded']
    : ['channel-create', 'channel-hangup'];
  const webhooks = await room.webhooks(id, types);
  expect(webhooks.map(({ eventType }) => eventType)).toEqual(types);
  webhooks.forEach((webhook) => expectSame(webhook, call, code));
  return call;
}

function expectTimes(call: Call, answered: boolean): void {
  const [started, ended] = [Date.parse(call.started_at), Date.parse(call.ended_at ?? '')];
  expect(ended).toBeGreaterThanOrEqual(started);
  if (!answered) {
    expect(call).toMatchObject({ answered_at: null, duration: 0, record_url: null });
    return;
  }
  const answeredAt = Date.parse(call.answered_at ?? '');
  expect(answeredAt).toBeGreaterThanOrEqual(started);
  expect(ended).toBeGreaterThanOrEqual(answeredAt);
  expect(call.duration).toBe(Math.round((ended - answeredAt) / 1000));
}

/** Fields of events that have not happened are left out of the body. */
function expectSame(webhook: CallWebhook, call: Call, code: string): void {
  const over = webhook.eventType === 'channel-hangup' || webhook.eventType === 'call-recorded';
  expect(webhook).toMatchObject({
    direction: call.call_type === 'inbound' ? 'inbound' : 'outbound',
    caller: call.from,
    called: call.to,
    startedAt: toLocal(call.started_at),
    metadata: call.metadata,
  });
  const { answeredAt, endedAt, duration, hangupCause, hangupCauseCode, recordUrl } = webhook;
  expect({ answeredAt, endedAt, duration, hangupCause, hangupCauseCode, recordUrl }).toEqual({
    answeredAt: webhook.eventType === 'channel-create' ? undefined : toLocal(call.answered_at),
    endedAt: over ? toLocal(call.ended_at) : undefined,
    duration: over ? call.duration : undefined,
    hangupCause: over ? call.hangup_cause : undefined,
    hangupCauseCode: over ? code : undefined,
    recordUrl: over ? (call.record_url ?? undefined) : undefined,
  });
}

export interface Recording extends Sound {
  tone(hertz: number): Tone | undefined;
}

/**
 * The recording contains sound and is as long as the conversation. It begins a moment after the answer, later on a busy machine;
 * up to two seconds, the product itself calls a recording complete (services/telephony/README.md).
 */
export async function expectRecording(call: Call): Promise<Recording> {
  const answer = await request(call.record_url ?? '');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'audio/wav']);
  const content = Buffer.from(await answer.body.arrayBuffer());
  const sound = measureSound(content);
  expect(sound.loudness).toBeGreaterThan(100);
  const talked = (Date.parse(call.ended_at ?? '') - Date.parse(call.answered_at ?? '')) / 1000;
  expect(sound.seconds).toBeLessThan(talked + 0.5);
  expect(sound.seconds).toBeGreaterThan(talked - promised(2_000) / 1_000);
  return { ...sound, tone: (hertz) => findTone(content, hertz) };
}

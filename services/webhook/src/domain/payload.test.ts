import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import { writePayload } from './payload';
import type { PayloadForm } from './payload';
import type { EventType } from './event-type';

const call = CallSnapshot.fromPartial({
  callId: 'c1',
  domain: 'a.sabia.localhost',
  callType: 'internal',
  from: '1000',
  to: '1001',
  startedAt: new Date('2026-01-01T01:30:00Z'),
  endedAt: new Date('2026-01-01T01:30:09Z'),
  hangupCause: 'USER_BUSY',
  hangupCauseCode: '17',
  metadata: '{"n":1.0,"n2":12345678901234567890}',
  timeZone: 'America/Sao_Paulo',
});

const write = (type: EventType, change: Partial<CallSnapshot> = {}, form: Partial<PayloadForm> = {}) =>
  writePayload(
    { id: 'e1', type, occurredAt: new Date('2026-01-01T01:30:09.5Z'), call: { ...call, ...change } },
    { version: '1.8', ...form },
  );

test('a call that was not answered has no answeredAt and no recordUrl', () => {
  expect(write('channel-hangup')).toBe(
    '{"version":"1.8","eventType":"channel-hangup","id":"c1",' +
      '"domain":"a.sabia.localhost","direction":"outbound","caller":"1000","called":"1001",' +
      '"startedAt":"2025-12-31 22:30:00","endedAt":"2025-12-31 22:30:09",' +
      '"duration":0,"hangupCause":"USER_BUSY","hangupCauseCode":"17",' +
      '"metadata":{"n":1.0,"n2":12345678901234567890},"eventId":"e1","occurredAt":"2026-01-01T01:30:09.500Z",' +
      '"type":"channel-hangup","event":"channel-hangup","callId":"c1"}',
  );
});

test('an answered call tells nothing of its end while it lasts', () => {
  const fields = Object.keys(JSON.parse(write('channel-answer', { answeredAt: new Date() })) as object);
  expect(fields).toContain('answeredAt');
  for (const later of ['endedAt', 'duration', 'hangupCause', 'hangupCauseCode', 'recordUrl']) {
    expect(fields).not.toContain(later);
  }
});

test('an integration that asks for nulls gets every field', () => {
  expect(JSON.parse(write('channel-create', {}, { nulls: true }))).toMatchObject({
    answeredAt: null,
    endedAt: null,
    duration: null,
    hangupCause: null,
    hangupCauseCode: null,
    recordUrl: null,
  });
});

test.each([
  ['Asia/Tokyo', '2026-01-01 10:30:00'],
  ['UTC', '2026-01-01 01:30:00'],
  ['', '2025-12-31 22:30:00'],
  ['No/Where', '2025-12-31 22:30:00'],
])('in the zone %j', (timeZone, startedAt) => {
  expect(JSON.parse(write('channel-answer', { timeZone }))).toMatchObject({ startedAt });
});

test('midnight is 00, not 24', () => {
  const startedAt = new Date('2026-01-01T03:00:00Z');
  expect(JSON.parse(write('channel-create', { startedAt }))).toMatchObject({ startedAt: '2026-01-01 00:00:00' });
});

test('without metadata there is an empty object', () => {
  expect(JSON.parse(write('channel-create', { metadata: '' }))).toMatchObject({ metadata: {} });
});

test('the price is exact decimals', () => {
  const price = { minutePrice: 1, callPrice: 120_000, billedSeconds: 6 };
  const text = writePayload({ id: 'e1', type: 'call-priced', occurredAt: new Date(), call, price }, { version: '1.8' });
  expect(text).toContain('"minutePrice":0.0001,"callPrice":12,"billedSeconds":6,"eventId"');
});

import { eventTypes } from './event-type';
import type { EventType } from './event-type';
import { writePayload } from './payload';
import { sampleEvent } from './sample';

const now = new Date('2026-03-10T18:00:00.500Z');
const options = { id: 'e1', callId: 'c1', domain: 'a.sabia.localhost', timeZone: 'UTC', metadata: { team: 7 }, now };
const payloadOf = (type: EventType) =>
  JSON.parse(writePayload(sampleEvent({ ...options, type }), { version: '1.8' })) as Record<string, unknown>;

test.each(eventTypes)('a sample of %s looks like a call that matches, and says that it is none', (type) => {
  expect(payloadOf(type)).toMatchObject({
    eventType: type,
    id: 'c1',
    eventId: 'e1',
    startedAt: '2026-03-10 17:58:45',
    metadata: { team: 7, test: true },
  });
});

test('what only some types tell of is there', () => {
  expect(payloadOf('call-recorded').recordUrl).toMatch(/^https:/);
  expect(payloadOf('channel-hangup').recordUrl).toMatch(/^https:/);
  expect(payloadOf('channel-answer')).not.toHaveProperty('recordUrl');
  expect(payloadOf('call-priced')).toMatchObject({ minutePrice: 0.12, callPrice: 0.12, billedSeconds: 60 });
  expect(payloadOf('channel-create')).not.toHaveProperty('minutePrice');
});

import { randomUUID } from 'node:crypto';
import { isEventId, newEventId } from '@sabia/service-kit/events/outbox';
import { momentOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { deliveryIdOf } from './delivery-id';

const now = new Date('2026-03-05T12:00:00Z');
const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (event: string): Date => momentOf(deliveryIdOf(newEventId(new Date(event)), 7, now));

test('one id for an event and a receiver, another for any other', () => {
  const [event, other] = [newEventId(now), newEventId(now)];
  const id = deliveryIdOf(event, 7, now);
  expect(id).toMatch(version7);
  expect(isEventId(id)).toBe(true);
  expect(momentOf(id)).toEqual(now);
  expect(deliveryIdOf(event.toUpperCase(), 7, new Date('2026-03-11T00:00:00Z'))).toBe(id);
  expect(new Set([id, deliveryIdOf(event, 8, now), deliveryIdOf(other, 7, now)]).size).toBe(3);
});

test('a time for which there may be no partition becomes one for which there is', () => {
  expect(timeOf('2026-02-01T00:00:00Z')).toEqual(new Date('2026-02-01T00:00:00Z'));
  expect(timeOf('2026-01-31T23:59:59.999Z')).toEqual(new Date('2026-02-01T00:00:00Z'));
  expect(timeOf('2019-01-01T00:00:00Z')).toEqual(new Date('2026-02-01T00:00:00Z'));
  expect(timeOf('2026-03-06T12:00:00Z')).toEqual(new Date('2026-03-06T12:00:00Z'));
  expect(timeOf('2027-01-01T00:00:00Z')).toEqual(new Date('2026-03-01T00:00:00Z'));
  const random = `f${randomUUID().slice(1)}`;
  expect(momentOf(deliveryIdOf(random, 7, now))).toEqual(new Date('2026-03-01T00:00:00Z'));
  expect(deliveryIdOf(random, 7, now)).toBe(deliveryIdOf(random, 7, new Date('2026-03-31T00:00:00Z')));
});

import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { idFrom, momentOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';

const dayMs = 24 * 60 * 60 * 1000;

/** An event that comes later than this is counted among those of the month that was then; the stream keeps events for seven days. */
export const latestDays = 8;

/**
 * The id of the one delivery of an event to a receiver: a version 7 uuid with the time in the event's id, and the rest from both. An event
 * that comes again has the same, so that the log's primary key refuses it.
 */
export function deliveryIdOf(eventId: string, integrationId: number, now: Date): string {
  return idFrom(timeWithin(momentOf(eventId), now), `${eventId.toLowerCase()} ${integrationId}`);
}

/**
 * A time for which the log has a partition. What lies outside becomes the beginning of a month, so that an event that comes again in the
 * same month has the same id also then.
 */
function timeWithin(time: Date, now: Date): Date {
  const oldest = monthFrom(new Date(now.getTime() - latestDays * dayMs), 0);
  if (time < oldest) {
    return oldest;
  }
  return time.getTime() > now.getTime() + dayMs ? monthFrom(now, 0) : time;
}

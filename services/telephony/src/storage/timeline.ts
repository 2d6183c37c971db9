import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { TimelineEntry } from '../domain/timeline';

export interface EntryOfCall extends TimelineEntry {
  callId: string;
}

/** In this order. */
export async function addToTimelines(queryable: Queryable, entries: EntryOfCall[]): Promise<void> {
  await queryable.query(
    `INSERT INTO call_timeline (call_id, at, kind, message, detail)
     SELECT call_id, at, kind, message, detail::jsonb
     FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
       WITH ORDINALITY AS told (call_id, at, kind, message, detail, nth)
     ORDER BY nth`,
    [
      entries.map(({ callId }) => callId),
      entries.map(({ at }) => at),
      entries.map(({ kind }) => kind),
      entries.map(({ message }) => message),
      entries.map(({ detail }) => (detail ? JSON.stringify(detail) : null)),
    ],
    { name: 'add-to-timelines' },
  );
}

export async function readTimeline(queryable: Queryable, callId: string): Promise<TimelineEntry[]> {
  return queryable.query<TimelineEntry>(
    'SELECT at, kind, message, detail FROM call_timeline WHERE call_id = $1::uuid ORDER BY entry',
    [callId],
    { name: 'read-timeline' },
  );
}

/** The last such entry of the timeline since then. */
export async function findInTimeline(
  queryable: Queryable,
  callId: string,
  { message, since }: { message: string; since: Date },
): Promise<TimelineEntry | undefined> {
  const [entry] = await queryable.query<TimelineEntry>(
    `SELECT at, kind, message, detail FROM call_timeline WHERE call_id = $1::uuid AND message = $2 AND at >= $3
     ORDER BY entry DESC LIMIT 1`,
    [callId, message, since],
    { name: 'find-in-timeline' },
  );
  return entry;
}

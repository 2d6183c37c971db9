import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { TimelineEntry } from '../domain/timeline';

export async function addToTimeline(queryable: Queryable, callId: string, entry: TimelineEntry): Promise<void> {
  await queryable.query(
    'INSERT INTO call_timeline (call_id, at, kind, message, detail) VALUES ($1::uuid, $2, $3, $4, $5::jsonb)',
    [callId, entry.at, entry.kind, entry.message, entry.detail ? JSON.stringify(entry.detail) : null],
    { name: 'add-to-timeline' },
  );
}

export async function readTimeline(queryable: Queryable, callId: string): Promise<TimelineEntry[]> {
  return queryable.query<TimelineEntry>(
    'SELECT at, kind, message, detail FROM call_timeline WHERE call_id = $1::uuid ORDER BY entry',
    [callId],
    { name: 'read-timeline' },
  );
}

/** Whether the timeline has such an entry since then. */
export async function isInTimeline(
  queryable: Queryable,
  callId: string,
  { message, since }: { message: string; since: Date },
): Promise<boolean> {
  const rows = await queryable.query(
    'SELECT FROM call_timeline WHERE call_id = $1::uuid AND message = $2 AND at >= $3 LIMIT 1',
    [callId, message, since],
    { name: 'is-in-timeline' },
  );
  return rows.length > 0;
}

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

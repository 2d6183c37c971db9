import type { Queryable } from '@sabia/service-kit/postgres/database';

/** The events whose deliveries are committed, known by their inbox row, which is written in the same transaction. */
export async function listHandled(db: Queryable, consumer: string, eventIds: string[]): Promise<string[]> {
  const rows = await db.query<{ event_id: string }>(
    'SELECT event_id FROM inbox WHERE consumer = $1 AND event_id = ANY ($2::uuid[])',
    [consumer, eventIds],
    { name: 'list-handled-events' },
  );
  return rows.map((row) => row.event_id);
}

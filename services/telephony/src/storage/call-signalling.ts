import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { LegMessages } from '../domain/sip-message';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';

export async function addSignalling(queryable: Queryable, rows: (LegMessages & { callId: string })[]): Promise<void> {
  await queryable.query(
    `INSERT INTO call_signalling (call_id, leg, messages)
     SELECT call_id, leg, messages::jsonb FROM unnest($1::uuid[], $2::text[], $3::text[]) AS told (call_id, leg, messages)`,
    [
      rows.map(({ callId }) => callId),
      rows.map(({ leg }) => leg),
      rows.map(({ messages }) => JSON.stringify(messages)),
    ],
    { name: 'add-signalling' },
  );
}

const MOST_ROWS = 200;

export async function readSignalling(queryable: Queryable, callId: string): Promise<LegMessages[]> {
  return queryable.query<LegMessages>(
    `SELECT leg, messages FROM call_signalling WHERE call_id = $1::uuid ORDER BY entry LIMIT ${MOST_ROWS}`,
    [callId],
    { name: 'read-signalling' },
  );
}

/** Deletes the messages of calls that began before, at most `limit` rows. Returns how many. */
export async function deleteSignalling(queryable: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await queryable.query(
    `DELETE FROM call_signalling WHERE (call_id, entry) IN (
       SELECT call_id, entry FROM call_signalling WHERE call_id < $1::uuid ORDER BY call_id, entry LIMIT $2
     ) RETURNING 1`,
    [firstIdOf(before), limit],
    { name: 'delete-signalling' },
  );
  return rows.length;
}

import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Events that an integration did not get in one hour, for one reason. */
export interface UnsentCount {
  integrationId: number;
  /** Hours since 1970. */
  hour: number;
  eventType: string;
  code: string;
  count: number;
  /** Of the newest of them. */
  at: Date;
  callId: string | null;
  reason: string;
}

export type UnsentSummary = Pick<UnsentCount, 'eventType' | 'count' | 'at' | 'callId' | 'reason'>;

export async function addUnsentCounts(db: Queryable, counts: UnsentCount[]): Promise<void> {
  if (counts.length === 0) {
    return;
  }
  const of = <V>(read: (count: UnsentCount) => V): V[] => counts.map(read);
  await db.query(
    `INSERT INTO unsent_counts AS c (integration_id, hour, event_type, code, count, last_at, last_call_id, reason)
     SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::text[], $8::text[])
     ORDER BY 1, 2, 3, 4
     ON CONFLICT (integration_id, hour, event_type, code) DO UPDATE
     SET count = c.count + excluded.count, last_at = greatest(c.last_at, excluded.last_at), last_call_id = excluded.last_call_id, reason = excluded.reason`,
    [
      of(({ integrationId }) => integrationId),
      of(({ hour }) => hour),
      of(({ eventType }) => eventType),
      of(({ code }) => code),
      of(({ count }) => count),
      of(({ at }) => at),
      of(({ callId }) => callId),
      of(({ reason }) => reason),
    ],
    { name: 'add-unsent-counts' },
  );
}

/** By type and reason, the most frequent first. */
export function readUnsent(db: Queryable, integrationId: number, firstHour: number): Promise<UnsentSummary[]> {
  return db.query<UnsentSummary>(
    `SELECT event_type AS "eventType", sum(count)::bigint AS count, max(last_at) AS at,
       (array_agg(last_call_id ORDER BY hour DESC))[1] AS "callId", (array_agg(reason ORDER BY hour DESC))[1] AS reason
     FROM unsent_counts WHERE integration_id = $1 AND hour >= $2
     GROUP BY event_type, code ORDER BY count DESC, event_type, code`,
    [integrationId, firstHour],
    { name: 'read-unsent' },
  );
}

/** What is older than the day that is shown. */
export async function removeUnsentCounts(db: Queryable, beforeHour: number): Promise<void> {
  await db.query('DELETE FROM unsent_counts WHERE hour < $1', [beforeHour]);
}

import type { Queryable } from '@sabia/service-kit/postgres/database';

/** A leg event as Asterisk records it (cel.conf), by its own clock. */
export interface LegEvent {
  leg: string;
  kind: 'ANSWER' | 'HANGUP';
  at: Date;
  /** The Q.850 cause of a HANGUP. */
  cause: number | null;
  /** The channel whose far end hung up: this leg's or that of the bridged leg. Null: the switch ended the leg. */
  endedBy: string | null;
}

export async function listLegEvents(queryable: Queryable, legs: string[]): Promise<LegEvent[]> {
  return queryable.query<LegEvent>(
    `SELECT uniqueid AS leg, eventtype AS kind, to_timestamp(eventtime) AS at,
       (nullif(extra, '')::json ->> 'hangupcause')::integer AS cause,
       nullif(nullif(extra, '')::json ->> 'hangupsource', '') AS "endedBy"
     FROM sip.leg_events WHERE uniqueid = ANY ($1::text[]) ORDER BY eventtime`,
    [legs],
    { name: 'list-leg-events' },
  );
}

/** Keeps the events of live calls, however old they are. */
export async function deleteLegEvents(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.leg_events WHERE eventtime < extract(epoch FROM $1::timestamptz)
       AND left(uniqueid, 36) NOT IN (SELECT call_id::text FROM live_calls)
       AND uniqueid NOT IN (SELECT a_channel FROM live_calls WHERE a_channel IS NOT NULL)`,
    [before],
    { name: 'delete-leg-events' },
  );
}

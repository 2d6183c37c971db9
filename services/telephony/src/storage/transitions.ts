import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call, CallStatus } from '../domain/call';
import { statesBefore } from '../domain/call-status';
import { hangupCauses } from '../domain/hangup-cause';
import type { HangupCause } from '../domain/hangup-cause';
import { callColumns } from './calls';

// Each is guarded by the state the call is in: whoever comes twice or late changes nothing, and the call is not among those
// that are answered. Those that take many calls have no name, which lets PostgreSQL plan them anew each time: a plan from when
// the table was small would go on reading all of it.

const from = (status: CallStatus): string[] => [...statesBefore(status)];

export async function markRinging(queryable: Queryable, callIds: string[]): Promise<void> {
  await queryable.query(
    `UPDATE calls SET status = 'ringing' WHERE id = ANY ($1::uuid[]) AND status = ANY ($2::text[])`,
    [callIds, from('ringing')],
  );
}

export async function markAnswered(queryable: Queryable, callId: string, at: Date): Promise<Call | undefined> {
  const [call] = await queryable.query<Call>(
    `UPDATE calls SET status = 'answered', answered_at = greatest($3::timestamptz, started_at)
     WHERE id = $1::uuid AND status = ANY ($2::text[]) RETURNING ${callColumns}`,
    [callId, from('answered'), at],
    { name: 'mark-answered' },
  );
  return call;
}

export interface EndOfCall {
  callId: string;
  at: Date;
  cause: HangupCause;
}

/** A cause that somebody asked for comes before the one that the switch reports. */
export async function markEnded(queryable: Queryable, ends: EndOfCall[]): Promise<Call[]> {
  return queryable.query<Call>(
    `WITH told AS (
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) AS told (call_id, at, cause)
     ), live AS (
       DELETE FROM live_calls USING told WHERE live_calls.call_id = told.call_id
       RETURNING live_calls.call_id, requested_cause
     ), final AS (
       SELECT call_id, at, coalesce(requested_cause, cause) AS cause FROM told LEFT JOIN live USING (call_id)
     )
     UPDATE calls SET status = 'ended',
       ended_at = greatest(final.at, answered_at, started_at),
       duration = coalesce(greatest(0, round(extract(epoch FROM final.at - answered_at)))::integer, 0),
       hangup_cause = final.cause, hangup_cause_code = $5::jsonb ->> final.cause
     FROM final
     WHERE id = final.call_id AND status = ANY ($4::text[]) RETURNING ${callColumns}`,
    [
      ends.map(({ callId }) => callId),
      ends.map(({ at }) => at),
      ends.map(({ cause }) => cause),
      from('ended'),
      causeCodes,
    ],
  );
}

const causeCodes = JSON.stringify(hangupCauses);

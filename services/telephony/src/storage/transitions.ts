import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call, CallStatus } from '../domain/call';
import { statesBefore } from '../domain/call-status';
import { hangupCauses } from '../domain/hangup-cause';
import type { HangupCause } from '../domain/hangup-cause';
import { callColumns } from './calls';

// Each is guarded by the state the call is in: whoever comes twice or late changes nothing and is told so with undefined.

const from = (status: CallStatus): string[] => [...statesBefore(status)];

export async function markRinging(queryable: Queryable, callId: string): Promise<boolean> {
  const rows = await queryable.query(
    `UPDATE calls SET status = 'ringing' WHERE id = $1::uuid AND status = ANY ($2::text[]) RETURNING 1 AS done`,
    [callId, from('ringing')],
    { name: 'mark-ringing' },
  );
  return rows.length > 0;
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

/** A cause that somebody asked for comes before the one that the switch reports. */
export async function markEnded(
  queryable: Queryable,
  callId: string,
  { at, cause }: { at: Date; cause: HangupCause },
): Promise<Call | undefined> {
  const [call] = await queryable.query<Call>(
    `WITH live AS (
       DELETE FROM live_calls WHERE call_id = $1::uuid RETURNING requested_cause
     ), final AS (
       SELECT coalesce((SELECT requested_cause FROM live), $4::text) AS cause
     )
     UPDATE calls SET status = 'ended',
       ended_at = greatest($3::timestamptz, answered_at, started_at),
       duration = coalesce(greatest(0, round(extract(epoch FROM $3::timestamptz - answered_at)))::integer, 0),
       hangup_cause = final.cause, hangup_cause_code = $5::jsonb ->> final.cause
     FROM final
     WHERE id = $1::uuid AND status = ANY ($2::text[]) RETURNING ${callColumns}`,
    [callId, from('ended'), at, cause, causeCodes],
    { name: 'mark-ended' },
  );
  return call;
}

const causeCodes = JSON.stringify(hangupCauses);

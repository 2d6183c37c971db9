import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call, CallStatus } from '../domain/call';
import { statesBefore } from '../domain/call-status';
import { hangupCauses } from '../domain/hangup-cause';
import type { HangupCause } from '../domain/hangup-cause';
import { callColumns } from './calls';

// Each transition is guarded by the state of the call: a repeated or late one changes nothing and does not return the call.
// Statements on many calls are not prepared, so that PostgreSQL plans them each time: a plan from when the table was small
// would keep scanning all of it.

const from = (status: CallStatus): string[] => [...statesBefore(status)];

export async function markRinging(queryable: Queryable, callIds: string[]): Promise<Call[]> {
  return queryable.query<Call>(
    `UPDATE calls SET status = 'ringing' WHERE id = ANY ($1::uuid[]) AND status = ANY ($2::text[]) RETURNING ${callColumns}`,
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

/**
 * The cause is settled here, so that it agrees with the answer and the price:
 * - the requested cause, unless the call had ended before the request (the clocks of replicas may differ a little);
 * - ALLOTTED_TIMEOUT, if the call ended when its talking time was used up, whatever the switch reports. It then ends at that
 *   moment: the caller does not pay for the time it took to cut it;
 * - an answered call was neither cancelled nor unanswered, however close the two events were.
 */
export async function markEnded(
  queryable: Queryable,
  ends: EndOfCall[],
  { maximumSeconds }: { maximumSeconds: number },
): Promise<Call[]> {
  return queryable.query<Call>(
    `WITH told AS (
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) AS told (call_id, at, cause)
     ), live AS (
       DELETE FROM live_calls USING told WHERE live_calls.call_id = told.call_id
       RETURNING live_calls.call_id, requested_cause, requested_at, least(granted_seconds, $6::integer) AS allotted
     ), known AS (
       SELECT call_id, at, calls.answered_at IS NOT NULL AS answered,
         calls.answered_at + make_interval(secs => allotted) AS used_up_at,
         CASE
           WHEN at >= requested_at - interval '1 second' THEN requested_cause
           WHEN cause = 'NORMAL_CLEARING' AND at >= calls.answered_at + make_interval(secs => allotted - 0.5)
             THEN 'ALLOTTED_TIMEOUT'
           ELSE cause
         END AS cause
       FROM told LEFT JOIN live USING (call_id) JOIN calls ON calls.id = call_id
     ), final AS (
       SELECT call_id, CASE cause WHEN 'ALLOTTED_TIMEOUT' THEN least(at, used_up_at) ELSE at END AS at,
         CASE WHEN answered AND cause IN ('ORIGINATOR_CANCEL', 'NO_ANSWER') THEN 'NORMAL_CLEARING' ELSE cause END AS cause
       FROM known
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
      maximumSeconds,
    ],
  );
}

const causeCodes = JSON.stringify(hangupCauses);

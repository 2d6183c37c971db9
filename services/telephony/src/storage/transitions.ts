import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call, CallStatus } from '../domain/call';
import { statesBefore } from '../domain/call-status';
import { hangupCauses } from '../domain/hangup-cause';
import type { HangupCause } from '../domain/hangup-cause';
import { callColumns } from './calls';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';

// Each transition is guarded by the state of the call: a repeated or late one changes nothing and does not return the call.
// Statements on many calls are not prepared, so that PostgreSQL plans them each time: a plan from when the table was small
// would keep scanning all of it.

const from = (status: CallStatus): string[] => [...statesBefore(status)];

/** SQL: the report comes from the driver of the switch that the call is on. No switch: it comes from nobody's driver. */
const isBy = (callId: string, switchName: string, term: string): string =>
  `(${switchName} IS NULL OR (${isTermOf(switchName, term)}
     AND EXISTS (SELECT FROM live_calls AS own WHERE own.call_id = ${callId} AND own.switch = ${switchName})))`;

export interface ReportOfCall {
  callId: string;
  /** The driver that reports it; what a driver reports that lost its lease, or the call, changes nothing. */
  by?: LeaseTerm;
}

export async function markRinging(queryable: Queryable, reports: ReportOfCall[]): Promise<Call[]> {
  return queryable.query<Call>(
    `UPDATE calls SET status = 'ringing' FROM unnest($1::uuid[], $3::text[], $4::bigint[]) AS told (call_id, switch, term)
     WHERE id = told.call_id AND status = ANY ($2::text[]) AND ${isBy('told.call_id', 'told.switch', 'told.term')}
     RETURNING ${callColumns}`,
    [reports.map(({ callId }) => callId), from('ringing'), ...reportersOf(reports)],
  );
}

const reportersOf = (reports: ReportOfCall[]) => [
  reports.map(({ by }) => by?.switchName ?? null),
  reports.map(({ by }) => by?.term ?? null),
];

export async function markAnswered(
  queryable: Queryable,
  { callId, at, by }: ReportOfCall & { at: Date },
): Promise<Call | undefined> {
  const [call] = await queryable.query<Call>(
    `UPDATE calls SET status = 'answered', answered_at = greatest($3::timestamptz, started_at)
     WHERE id = $1::uuid AND status = ANY ($2::text[]) AND ${isBy('$1::uuid', '$4::text', '$5::bigint')}
     RETURNING ${callColumns}`,
    [callId, from('answered'), at, by?.switchName ?? null, by?.term ?? null],
    { name: 'mark-answered' },
  );
  return call;
}

export interface EndOfCall extends ReportOfCall {
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
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $7::text[], $8::bigint[])
         AS told (call_id, at, cause, switch, term)
       WHERE ${isBy('told.call_id', 'told.switch', 'told.term')}
     ), live AS (
       DELETE FROM live_calls USING told
       WHERE live_calls.call_id = told.call_id AND (told.switch IS NULL OR live_calls.switch = told.switch)
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
       WHERE told.switch IS NULL OR live.call_id IS NOT NULL
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
      ...reportersOf(ends),
    ],
  );
}

const causeCodes = JSON.stringify(hangupCauses);

import { anyValue, isAmong } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call, CallStatus } from '../domain/call';
import { statesBefore } from '../domain/call-status';
import { hangupCauses } from '../domain/hangup-cause';
import type { HangupCause } from '../domain/hangup-cause';
import type { LiveCall } from '../domain/live-call';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import { hasFormerReplica, stateIn } from './call-state';
import { callColumnsWith } from './calls';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';
import { liveColumns, ownColumns } from './live-calls';
import { firstLook } from './unsettled-calls';

// While a call lasts its state is in live_calls (see call-state.ts), and its record in calls_current. Each transition is guarded by the state of the call: a repeated or late one changes nothing and does not return the call.
// The statements are prepared and planned once: to plan one takes several times as long as to run it.

const from = (status: CallStatus): string[] => [...statesBefore(status)];

export interface ReportOfCall {
  callId: string;
  /** The driver that reports it; what a driver reports that lost its lease, or the call, changes nothing. */
  by?: LeaseTerm;
}

/** SQL: the reports of drivers that still have their lease, and of nobody's driver, as rows `told`; those that follow are arrays, too. Materialized, so that leases are looked at once. */
const toldBy = (further: string, columns: string): string =>
  `told AS MATERIALIZED (
       SELECT * FROM unnest(${anyValue('$1', 'uuid[]')}, $2::text[], $3::bigint[]${further}) AS told (told_id, told_switch, told_term${columns})
       WHERE told_switch IS NULL OR ${isTermOf('told_switch', 'told_term')}
     )`;

/** SQL: the row of live_calls is that of the report, which comes from the driver of the switch that the call is on. */
const isTold = '(live_calls.call_id = told_id AND (told_switch IS NULL OR live_calls.switch = told_switch))';

const reportersOf = (reports: ReportOfCall[]) => [
  reports.map(({ callId }) => callId),
  reports.map(({ by }) => by?.switchName ?? null),
  reports.map(({ by }) => by?.term ?? null),
];

/** SQL: the current call of this id, which is one of those of the reports. */
const callOf = (id: string): string => `calls_current AS calls ON calls.id = ${id} AND ${isAmong('calls.id', '$1')}`;

export async function markRinging(queryable: Queryable, reports: ReportOfCall[]): Promise<Call[]> {
  return queryable.query<Call>(
    `WITH ${toldBy('', '')}, marked AS (
       UPDATE live_calls SET is_ringing = true FROM told JOIN ${callOf('told_id')}
       WHERE ${isTold} AND NOT is_ringing AND talking_since IS NULL AND calls.status = ANY ($4::text[])
       RETURNING call_id, is_ringing, talking_since
     )
     SELECT ${callColumnsWith(stateIn('marked'))} FROM marked JOIN ${callOf('marked.call_id')}`,
    [...reportersOf(reports), from('ringing')],
    { name: 'mark-ringing' },
  );
}

export interface AnswerOfCall extends ReportOfCall {
  at: Date;
}

/** Also notes which of the calls are to be recorded; the switch confirms when the recording begins. */
export async function markAnswered(queryable: Queryable, answers: AnswerOfCall[]): Promise<LiveCall[]> {
  return queryable.query<LiveCall>(
    `WITH ${toldBy(', $4::timestamptz[]', ', told_at')}, marked AS (
       UPDATE live_calls SET talking_since = greatest(told_at, calls.started_at)
       FROM told JOIN ${callOf('told_id')}
       WHERE ${isTold} AND talking_since IS NULL AND calls.status = ANY ($5::text[])
       RETURNING ${ownColumns}
     ), copied AS (
       UPDATE calls_current AS calls SET status = 'answered', answered_at = marked.talking_since FROM marked
       WHERE calls.id = marked.call_id AND ${isAmong('calls.id', '$1')} AND ${hasFormerReplica}
     ), recorded AS (
       INSERT INTO recordings (call_id, account_id, switch, awaits_start)
       SELECT id, account_id, switch, true FROM marked JOIN ${callOf('call_id')}
       WHERE record AND switch IS NOT NULL
       ON CONFLICT DO NOTHING
     )
     SELECT ${liveColumns} FROM marked AS live JOIN ${callOf('live.call_id')}`,
    [...reportersOf(answers), answers.map(({ at }) => at), from('answered')],
    { name: 'mark-answered' },
  );
}

export interface EndOfCall extends ReportOfCall {
  at: Date;
  cause: HangupCause;
}

export interface EndOptions {
  maximumSeconds: number;
  now: Date;
  /** When the audio of calls that were recorded can be fetched, unless the switch has reported it ready. */
  audioAt: Date;
}

/** `hasRecording`: its recording has begun, so that there will be audio. */
export type EndedCall = Call & { hasRecording: boolean };

/**
 * The cause is settled here, so that it agrees with the answer and the price:
 * - the requested cause, unless the call had ended before the request (the clocks of replicas may differ a little);
 * - ALLOTTED_TIMEOUT, if the call ended when its talking time was used up, whatever the switch reports. It then ends at that
 *   moment: the caller does not pay for the time it took to cut it;
 * - an answered call was neither cancelled nor unanswered, however close the two events were.
 * From now on its price and webhook are expected (unsettled_calls), and the audio if it was recorded.
 */
export async function markEnded(
  queryable: Queryable,
  ends: EndOfCall[],
  { maximumSeconds, now, audioAt }: EndOptions,
): Promise<EndedCall[]> {
  // Those of recordings, too.
  const months = monthsOf(ends.map(({ callId }) => callId));
  return queryable.query<EndedCall>(
    `WITH ${toldBy(', $4::timestamptz[], $5::text[]', ', told_at, told_cause')}, live AS (
       DELETE FROM live_calls USING told
       WHERE ${isTold}
       RETURNING call_id, requested_cause, requested_at, talking_since, least(granted_seconds, $6::integer) AS allotted
     ), known AS (
       SELECT told_id, told_at, told_cause, requested_cause, requested_at,
         coalesce(talking_since, calls.answered_at) AS since, make_interval(secs => allotted) AS allotted
       FROM told LEFT JOIN live ON call_id = told_id JOIN ${callOf('told_id')}
       WHERE told_switch IS NULL OR call_id IS NOT NULL
     ), settled AS (
       SELECT told_id, told_at AS at, since, since + allotted AS used_up_at,
         CASE
           WHEN told_at >= requested_at - interval '1 second' THEN requested_cause
           WHEN told_cause = 'NORMAL_CLEARING' AND told_at >= since + allotted - interval '0.5 seconds' THEN 'ALLOTTED_TIMEOUT'
           ELSE told_cause
         END AS cause
       FROM known
     ), final AS (
       SELECT told_id, since, CASE cause WHEN 'ALLOTTED_TIMEOUT' THEN least(at, used_up_at) ELSE at END AS at,
         CASE WHEN since IS NOT NULL AND cause IN ('ORIGINATOR_CANCEL', 'NO_ANSWER') THEN 'NORMAL_CLEARING' ELSE cause END AS cause
       FROM settled
     ), ended AS (
       UPDATE calls_current AS calls SET status = 'ended', answered_at = final.since,
         ended_at = greatest(final.at, final.since, started_at),
         duration = coalesce(greatest(0, round(extract(epoch FROM final.at - final.since)))::integer, 0),
         hangup_cause = final.cause, hangup_cause_code = $7::jsonb ->> final.cause
       FROM final
       WHERE id = told_id AND ${isAmong('id', '$1')} AND status = ANY ($8::text[])
       RETURNING ${callColumnsWith({ status: 'status', answeredAt: 'answered_at' })}
     ), expected AS (
       INSERT INTO unsettled_calls (call_id, look_at) SELECT id, $9::timestamptz + ${firstLook} FROM ended ON CONFLICT DO NOTHING
     ), audio AS (
       UPDATE recordings SET fetch_at = coalesce(fetch_at, $10::timestamptz) FROM ended
       WHERE call_id = ended.id AND ${isAmong('call_id', '$1')} AND ${months.hold('call_id')} AND ended.record AND ended."answeredAt" IS NOT NULL AND recorded_at IS NULL
       RETURNING call_id, awaits_start
     )
     SELECT ended.*, coalesce(NOT awaits_start, false) AS "hasRecording" FROM ended LEFT JOIN audio ON call_id = id`,
    [
      ...reportersOf(ends),
      ends.map(({ at }) => at),
      ends.map(({ cause }) => cause),
      maximumSeconds,
      causeCodes,
      from('ended'),
      now,
      audioAt,
    ],
    { name: months.nameOf('mark-ended') },
  );
}

const causeCodes = JSON.stringify(hangupCauses);

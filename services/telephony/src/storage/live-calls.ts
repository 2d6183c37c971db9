import { anyValue, hasAlso, isAmong } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { CallStatus } from '../domain/call';
import type { HangupCause } from '../domain/hangup-cause';
import { PLACING } from '../domain/live-call';
import type { LiveCall } from '../domain/live-call';
import { stateIn } from './call-state';
import { callColumnsWith, isUuid } from './calls';
import { findDialled } from './dial-ids';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';

/** Of a row of calls joined with `live`, its row of live_calls. */
export const liveColumns = `${callColumnsWith(stateIn('live'))}, live.switch AS "switchName", live.ramal, live.a_channel AS "aChannel", live.attempt,
  live.trunks, live.line, live.ready_at AS "readyAt", live.placed_at AS "placedAt",
  live.granted_seconds AS "grantedSeconds", live.requested_cause AS "requestedCause", live.requested_at AS "requestedAt",
  live.a_ramal AS "aRamal", live.b_ramal AS "bRamal", live.transfer_to AS "transferTo", live.transfer_side AS "transferSide",
  live.left_until AS "leftUntil",
  (SELECT seen_at FROM switch_sightings WHERE switch_sightings.switch = live.switch) AS "seenAt"`;

// Call columns are not qualified, so the live row must not have columns of the same names.
export const ownColumns = `call_id, is_ringing, talking_since, switch, ramal, a_channel, attempt, trunks, line, ready_at, placed_at, granted_seconds, requested_cause, requested_at,
  a_ramal, b_ramal, transfer_to, transfer_side, left_until`;
const live = `(SELECT ${ownColumns} FROM live_calls WHERE`;

/** SQL: rows of live_calls, a common table `live`, with their calls. Says which they are, or PostgreSQL may read all current calls to find that there are none. */
const theirCalls =
  'live JOIN calls_current AS calls ON calls.id = live.call_id AND calls.id = ANY (ARRAY(SELECT call_id FROM live))';

/** SQL: the call is to be placed once more. Who has read it before finds a later placing, and edges that are told to end the one before spare it. */
export const nextPlacing = `placed_at = NULL, attempt = (attempt / ${PLACING} + 1) * ${PLACING}`;

/** Takes the calls that have not been placed on the switch yet; none if another replica drives it by now. They ring from now on. */
export async function takeUnplaced(
  queryable: Queryable,
  { by, now, limit, ringSeconds }: { by: LeaseTerm; now: Date; limit: number; ringSeconds: number },
): Promise<LiveCall[]> {
  return queryable.query<LiveCall>(
    `WITH live AS (
       UPDATE live_calls SET placed_at = $2, due_at = greatest(due_at, $2::timestamptz + make_interval(secs => $5::float8))
       WHERE call_id IN (
         SELECT call_id FROM live_calls WHERE switch = $1 AND placed_at IS NULL AND line IS NULL
         ORDER BY call_id LIMIT $3 FOR UPDATE SKIP LOCKED
       ) AND ${isTermOf('$1', '$4')}
       RETURNING ${ownColumns}
     )
     SELECT ${liveColumns} FROM ${theirCalls} ORDER BY id`,
    [by.switchName, now, limit, by.term, ringSeconds],
    { name: 'take-unplaced' },
  );
}

/**
 * Lets the driver of the switch take these calls once more; not if they have been taken again since, or if the switch has a later
 * driver, which has compared the calls that it found with the switch. Returns the ids of those that it returned.
 */
export async function returnUnplaced(
  queryable: Queryable,
  { calls, by }: { calls: Pick<LiveCall, 'id' | 'placedAt'>[]; by: LeaseTerm },
): Promise<string[]> {
  const rows = await queryable.query<{ id: string }>(
    `UPDATE live_calls SET ${nextPlacing} FROM unnest($1::uuid[], $2::timestamptz[]) AS taken (id, at)
     WHERE call_id = taken.id AND placed_at = taken.at AND switch = $3 AND ${isTermOf('$3', '$4')} RETURNING call_id AS id`,
    [calls.map(({ id }) => id), calls.map(({ placedAt }) => placedAt), by.switchName, by.term],
    { name: 'return-unplaced' },
  );
  return rows.map(({ id }) => id);
}

export async function listLive(queryable: Queryable, switchName: string): Promise<LiveCall[]> {
  return queryable.query<LiveCall>(
    `SELECT ${liveColumns} FROM ${live} switch = $1) AS live JOIN calls_current AS calls ON calls.id = live.call_id ORDER BY id`,
    [switchName],
    { name: 'list-live' },
  );
}

/** Calls on switches that no replica drives, whether placed there or not. The names of the switches are found one after the other in the index. */
export async function listUndriven(queryable: Queryable): Promise<LiveCall[]> {
  return queryable.query<LiveCall>(
    `WITH RECURSIVE used AS (
       (SELECT switch FROM live_calls WHERE switch > '' ORDER BY switch LIMIT 1)
       UNION ALL
       SELECT (SELECT live_calls.switch FROM live_calls WHERE live_calls.switch > used.switch ORDER BY live_calls.switch LIMIT 1)
       FROM used WHERE used.switch IS NOT NULL
     ), live AS MATERIALIZED (
       SELECT ${ownColumns} FROM live_calls WHERE switch = ANY (ARRAY(
         SELECT switch FROM used EXCEPT SELECT switch FROM switch_leases WHERE expires_at > clock_timestamp()
       ))
     )
     SELECT ${liveColumns} FROM ${theirCalls}`,
    [],
    { name: 'list-undriven' },
  );
}

const liveStatus = `CASE WHEN talking_since IS NOT NULL THEN 'answered' WHEN is_ringing THEN 'ringing' ELSE 'queued' END`;

/** Counts the live calls of a switch. Reads one small row per call. */
export async function countByStatus(
  queryable: Queryable,
  switchName: string,
): Promise<Partial<Record<CallStatus, number>>> {
  const rows = await queryable.query<{ status: CallStatus; count: number }>(
    `SELECT ${liveStatus} AS status, count(*) AS count FROM live_calls WHERE switch = $1 GROUP BY 1`,
    [switchName],
    { name: 'count-by-status' },
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The calls that the driver has to look at, the longest overdue first. */
export async function listDue(
  queryable: Queryable,
  { switchName, now, limit }: { switchName: string; now: Date; limit: number },
): Promise<string[]> {
  const rows = await queryable.query<{ call_id: string }>(
    'SELECT call_id FROM live_calls WHERE switch = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3',
    [switchName, now, limit],
    { name: 'list-due' },
  );
  return rows.map(({ call_id }) => call_id);
}

/** For each id its call; undefined if it is not live. */
export async function findLive(queryable: Queryable, callIds: string[]): Promise<(LiveCall | undefined)[]> {
  const calls = await queryable.query<LiveCall>(
    `SELECT ${liveColumns} FROM ${live} ${isAmong('call_id', '$1')}) AS live
     JOIN calls_current AS calls ON calls.id = live.call_id AND ${isAmong('calls.id', '$1')}`,
    [callIds],
    { name: 'find-live' },
  );
  const byId = new Map(calls.map((call) => [call.id, call]));
  return callIds.map((id) => byId.get(id));
}

/** Makes the call due now. A second request changes nothing. Returns the call id; undefined: there is no such live call. */
export async function requestHangup(
  queryable: Queryable,
  request: { accountId: number; id: string; now: Date },
): Promise<string | undefined> {
  if (!isUuid(request.id)) {
    return undefined;
  }
  const called = await requestHangupOf(queryable, request);
  if (called !== undefined) {
    return called;
  }
  const dialled = await findDialled(queryable, request.id);
  return dialled === undefined ? undefined : requestHangupOf(queryable, { ...request, id: dialled });
}

async function requestHangupOf(
  queryable: Queryable,
  { accountId, id, now }: { accountId: number; id: string; now: Date },
): Promise<string | undefined> {
  const [row] = await queryable.query<{ call_id: string }>(
    `UPDATE live_calls SET
       requested_cause = coalesce(requested_cause,
         CASE WHEN coalesce(talking_since, answered_at) IS NULL THEN 'ORIGINATOR_CANCEL' ELSE 'NORMAL_CLEARING' END),
       requested_at = coalesce(requested_at, $3),
       due_at = least(due_at, $3),
       waits_until = CASE WHEN line IS NOT NULL THEN least(waits_until, $3) END
     FROM calls_current AS calls
     WHERE call_id = $1::uuid AND calls.id = $1::uuid AND ${hasAlso('calls.account_id', '$2::bigint')} AND ended_at IS NULL
     RETURNING call_id`,
    [id, accountId, now],
    { name: 'request-hangup' },
  );
  return row?.call_id;
}

export interface HangupNote {
  callId: string;
  cause: HangupCause;
  at: Date;
  dueAt: Date;
  /** For the timeline. */
  message?: string;
}

/** Notes that the driver wants the calls ended; an earlier request to end stays. */
export async function noteHangups(queryable: Queryable, notes: HangupNote[]): Promise<void> {
  await queryable.query(
    `WITH wish AS (
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[])
         AS wish (id, cause, at, due, message)
     ), noted AS (
       UPDATE live_calls SET requested_cause = coalesce(requested_cause, wish.cause),
         requested_at = coalesce(requested_at, wish.at), due_at = wish.due
       FROM wish WHERE call_id = wish.id
     )
     INSERT INTO call_timeline (call_id, at, kind, message, detail)
     SELECT id, at, 'cause', message, jsonb_build_object('cause', cause) FROM wish WHERE message IS NOT NULL`,
    [
      notes.map(({ callId }) => callId),
      notes.map(({ cause }) => cause),
      notes.map(({ at }) => at),
      notes.map(({ dueAt }) => dueAt),
      notes.map(({ message }) => message ?? null),
    ],
  );
}

export interface NextLook {
  callId: string;
  dueAt: Date;
}

/** Changes nothing for a call that is asked to end, which may have happened since the call was read. */
export async function setDue(queryable: Queryable, looks: NextLook[]): Promise<void> {
  await queryable.query(
    `UPDATE live_calls SET due_at = least(look.due, left_until)
     FROM unnest(${anyValue('$1', 'uuid[]')}, $2::timestamptz[]) AS look (id, due)
     WHERE call_id = look.id AND ${isAmong('call_id', '$1')} AND requested_at IS NULL`,
    [looks.map(({ callId }) => callId), looks.map(({ dueAt }) => dueAt)],
    { name: 'set-due' },
  );
}

export interface Extension extends NextLook {
  /** The talking time that is paid for from now on. */
  seconds: number;
  at: Date;
}

/** Notes more talking time, in the timelines, too. */
export async function noteExtended(queryable: Queryable, extensions: Extension[]): Promise<void> {
  await queryable.query(
    `WITH granted AS (
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::timestamptz[]) AS granted (id, due, seconds, at)
     ), noted AS (
       UPDATE live_calls SET granted_seconds = granted.seconds,
         due_at = CASE WHEN requested_at IS NULL THEN least(granted.due, left_until) ELSE due_at END
       FROM granted WHERE call_id = granted.id
     )
     INSERT INTO call_timeline (call_id, at, kind, message, detail)
     SELECT id, at, 'credit', 'credit extended', jsonb_build_object('seconds', seconds) FROM granted`,
    [
      extensions.map(({ callId }) => callId),
      extensions.map(({ dueAt }) => dueAt),
      extensions.map(({ seconds }) => seconds),
      extensions.map(({ at }) => at),
    ],
  );
}

import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { HangupCause } from '../domain/hangup-cause';
import { SWITCH_LINE } from '../domain/waiting-line';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';

// The line is those rows of live_calls that have a name in `line`. All of it is read through partial indexes, a few rows at a time.

/** SQL: the turn of the call that left a line of these carriers last. */
const lastTurnOf = (line: string): string =>
  `coalesce((SELECT max(turn) FROM trunk_places WHERE trunk = ANY (string_to_array(${line}, ','))), 0)`;

/**
 * SQL, of rows `input` that join the line, or not: one turn after the last call that left it, and after the last of its own account.
 * So a call of an account with none in the line comes before the second of all others.
 */
export const turnInLine = `CASE WHEN line IS NOT NULL THEN row_number() OVER (PARTITION BY line, account_id ORDER BY id) +
    greatest(${lastTurnOf('input.line')},
      (SELECT max(turn) FROM live_calls AS own WHERE own.line = input.line AND own.account_id = input.account_id)) END`;

export interface WaitingRow {
  id: string;
  line: string;
  turn: number;
  to: string;
  tried: string[] | null;
}

/** The calls of one line whose turn it is. */
export async function listFirstOf(
  queryable: Queryable,
  line: string,
  limit: number,
): Promise<{ id: string; turn: number }[]> {
  return queryable.query(
    'SELECT call_id AS id, turn FROM live_calls WHERE line = $1 AND requested_at IS NULL ORDER BY turn, call_id LIMIT $2',
    [line, limit],
    { name: 'list-first-of-line' },
  );
}

/** The first calls of each line for carriers, by line and turn. The names of the lines are found one after the other in the index. */
export async function listFirst(queryable: Queryable, perLine: number): Promise<WaitingRow[]> {
  return queryable.query<WaitingRow>(
    `WITH RECURSIVE lines AS (
       (SELECT line FROM live_calls WHERE line > '${SWITCH_LINE}' ORDER BY line LIMIT 1)
       UNION ALL
       SELECT (SELECT live_calls.line FROM live_calls WHERE live_calls.line > lines.line ORDER BY live_calls.line LIMIT 1)
       FROM lines WHERE lines.line IS NOT NULL
     ), first AS MATERIALIZED (
       SELECT waiting.* FROM lines CROSS JOIN LATERAL (
         SELECT call_id, live_calls.line, turn, trunks FROM live_calls
         WHERE live_calls.line = lines.line ORDER BY turn, call_id LIMIT $1
       ) AS waiting
     )
     SELECT first.call_id AS id, first.line, first.turn, first.trunks AS tried, calls.to_number AS to
     FROM first JOIN calls_current AS calls ON calls.id = first.call_id AND calls.id = ANY (ARRAY(SELECT call_id FROM first))
     ORDER BY first.line, first.turn, first.call_id`,
    [perLine],
    { name: 'list-first-in-line' },
  );
}

/** A call that was dialled over one carrier in vain waits for the next one, before those that have not been dialled. */
export async function rejoinLine(
  queryable: Queryable,
  by: LeaseTerm,
  {
    callId,
    attempt,
    tried,
    line,
    until,
  }: { callId: string; attempt: number; tried: string[]; line: string; until: Date },
): Promise<void> {
  await queryable.query(
    `UPDATE live_calls SET line = $4, turn = ${lastTurnOf('$4')}, waits_until = $5, told_place = NULL, trunk = NULL, trunks = $3::text[]
     WHERE call_id = $1::uuid AND attempt = $2 AND line IS NULL AND requested_at IS NULL
       AND switch = $6 AND ${isTermOf('$6', '$7')}`,
    [callId, attempt, tried, line, until, by.switchName, by.term],
    { name: 'rejoin-line' },
  );
}

/** The attempt of a call and the trunks that it has tried; undefined: the call has ended. */
export async function findAttempt(
  queryable: Queryable,
  callId: string,
): Promise<{ attempt: number; trunks: string[] | null } | undefined> {
  const [row] = await queryable.query<{ attempt: number; trunks: string[] | null }>(
    'SELECT attempt, trunks FROM live_calls WHERE call_id = $1::uuid',
    [callId],
    { name: 'find-attempt' },
  );
  return row;
}

/** Moves the call on to a trunk without limits; false: it has been moved already, or another replica drives it. */
export async function nextAttempt(
  queryable: Queryable,
  by: LeaseTerm,
  { callId, attempt, tried }: { callId: string; attempt: number; tried: string[] },
): Promise<boolean> {
  const rows = await queryable.query(
    `UPDATE live_calls SET attempt = $2, trunks = $3::text[], trunk = NULL
     WHERE call_id = $1::uuid AND attempt = $2 - 1 AND switch = $4 AND ${isTermOf('$4', '$5')} RETURNING 1 AS done`,
    [callId, attempt, tried, by.switchName, by.term],
    { name: 'next-attempt' },
  );
  return rows.length > 0;
}

/** The caller's phone has hung up while its call waits. */
export async function cancelWaiting(queryable: Queryable, aChannel: string, now: Date): Promise<void> {
  const cause: HangupCause = 'ORIGINATOR_CANCEL';
  await queryable.query(
    `UPDATE live_calls SET requested_cause = coalesce(requested_cause, $2), requested_at = coalesce(requested_at, $3),
       waits_until = $3, due_at = $3
     WHERE a_channel = $1 AND line IS NOT NULL AND placed_at IS NULL`,
    [aChannel, cause, now],
    { name: 'cancel-waiting' },
  );
}

/** Calls that have waited for too long, or were asked to end, leave their line; they end soon. Returns how many. */
export async function endWaiting(
  queryable: Queryable,
  { now, causes, limit }: { now: Date; causes: { carrier: HangupCause; switch: HangupCause }; limit: number },
): Promise<number> {
  const [row] = await queryable.query<{ ended: number }>(
    `WITH over AS (
       SELECT call_id, requested_at IS NULL AS is_late, CASE line WHEN '${SWITCH_LINE}' THEN 'switch' ELSE 'carrier' END AS wanted,
         CASE line WHEN '${SWITCH_LINE}' THEN $4::text ELSE $2::text END AS cause
       FROM live_calls WHERE line IS NOT NULL AND waits_until <= $1
       ORDER BY waits_until LIMIT $3 FOR UPDATE SKIP LOCKED
     ), ended AS (
       UPDATE live_calls SET line = NULL, waits_until = NULL, ready_at = $1, due_at = $1,
         requested_cause = coalesce(requested_cause, over.cause), requested_at = coalesce(requested_at, $1)
       FROM over WHERE live_calls.call_id = over.call_id
     ), noted AS (
       INSERT INTO call_timeline (call_id, at, kind, message, detail)
       SELECT call_id, $1, 'cause', 'waited too long for a ' || wanted, jsonb_build_object('cause', cause) FROM over WHERE is_late
     )
     SELECT count(*) AS ended FROM over`,
    [now, causes.carrier, limit, causes.switch],
    { name: 'end-waiting' },
  );
  return row!.ended;
}

/**
 * Tells the timelines of waiting calls their place: of those that joined before a moment and have not been told, and again of the
 * first ones of each line when they have come to half of the place that was told. Places beyond `most` are not counted further.
 */
export async function tellPlaces(
  queryable: Queryable,
  {
    now,
    joinedBefore,
    first,
    most,
    limit,
  }: { now: Date; joinedBefore: Date; first: number; most: number; limit: number },
): Promise<void> {
  await queryable.query(
    `WITH RECURSIVE lines AS (
       (SELECT line FROM live_calls WHERE line IS NOT NULL ORDER BY line LIMIT 1)
       UNION ALL
       SELECT (SELECT live_calls.line FROM live_calls WHERE live_calls.line > lines.line ORDER BY live_calls.line LIMIT 1)
       FROM lines WHERE lines.line IS NOT NULL
     ), untold AS (
       SELECT call_id, line, turn FROM live_calls
       WHERE line IS NOT NULL AND told_place IS NULL AND waits_until <= $2 AND requested_at IS NULL
       ORDER BY line, turn, call_id LIMIT $5
     ), counted AS (
       SELECT call_id, NULL::integer AS told, 1 + (
           SELECT count(*) FROM (
             SELECT FROM live_calls AS other
             WHERE other.line = untold.line AND (other.turn, other.call_id) < (untold.turn, untold.call_id) LIMIT $4
           ) AS ahead
         ) AS place
       FROM untold
       UNION ALL
       SELECT call_id, told, place FROM lines CROSS JOIN LATERAL (
         SELECT call_id, told_place AS told, row_number() OVER (ORDER BY turn, call_id) AS place FROM live_calls
         WHERE live_calls.line = lines.line ORDER BY turn, call_id LIMIT $3
       ) AS front WHERE place <= told / 2
     ), told AS (
       UPDATE live_calls SET told_place = counted.place FROM counted
       WHERE live_calls.call_id = counted.call_id AND live_calls.told_place IS NOT DISTINCT FROM counted.told
         AND live_calls.line IS NOT NULL
       RETURNING live_calls.call_id, live_calls.line, counted.told, counted.place
     )
     INSERT INTO call_timeline (call_id, at, kind, message, detail)
     SELECT call_id, $1, 'request', CASE WHEN told IS NOT NULL THEN 'moved up in the line'
         WHEN line = '${SWITCH_LINE}' THEN 'waits for a switch' ELSE 'waits for a carrier' END,
       jsonb_build_object('place', place) || CASE WHEN place > $4 THEN '{"orMore": true}' ELSE '{}' END::jsonb
     FROM told`,
    [now, joinedBefore, first, most, limit],
    { name: 'tell-places' },
  );
}

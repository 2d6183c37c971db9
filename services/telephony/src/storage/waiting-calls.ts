import type { Queryable } from '@sabia/service-kit/postgres/database';
import { PLACING } from '../domain/live-call';
import { SWITCH_LINE } from '../domain/waiting-line';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';
import { nextPlacing } from './live-calls';
import { turnInLine } from './waiting-line';

// Calls that are on no switch yet and wait for no carrier: live_calls whose switch is null, first without a line, then in that of the switches.

/** Cheap, so that it can be asked several times a second. */
export async function hasWaiting(queryable: Queryable): Promise<boolean> {
  const rows = await queryable.query(
    `SELECT WHERE EXISTS (SELECT FROM live_calls WHERE switch IS NULL AND line IS NULL)
       OR EXISTS (SELECT FROM live_calls WHERE line = '${SWITCH_LINE}')`,
    [],
    { name: 'has-waiting' },
  );
  return rows.length > 0;
}

/** Calls without a switch get their turns in the line. Those that were on a switch before go first: they have had theirs. */
export async function joinSwitchLine(
  queryable: Queryable,
  { until, limit }: { until: Date; limit: number },
): Promise<void> {
  await queryable.query(
    `WITH input AS (
       SELECT call_id AS id, account_id, '${SWITCH_LINE}' AS line, turn AS kept FROM live_calls
       WHERE switch IS NULL AND line IS NULL AND requested_at IS NULL ORDER BY call_id LIMIT $2 FOR UPDATE SKIP LOCKED
     ), joining AS (
       SELECT id, coalesce(kept, ${turnInLine}) AS turn FROM input
     )
     UPDATE live_calls SET line = '${SWITCH_LINE}', turn = joining.turn, waits_until = $1, told_place = NULL
     FROM joining WHERE call_id = joining.id`,
    [until, limit],
    { name: 'join-switch-line' },
  );
}

/** Takes the calls that are asked to end while they wait. */
export async function listCancelledWaiting(queryable: Queryable, limit: number): Promise<string[]> {
  const rows = await queryable.query<{ call_id: string }>(
    'SELECT call_id FROM live_calls WHERE switch IS NULL AND line IS NULL AND requested_at IS NOT NULL ORDER BY call_id LIMIT $1',
    [limit],
    { name: 'list-cancelled-waiting' },
  );
  return rows.map(({ call_id }) => call_id);
}

/** The calls that have waited for a switch since before this moment. */
export async function listWaitingSince(queryable: Queryable, before: Date, limit: number): Promise<string[]> {
  const rows = await queryable.query<{ call_id: string }>(
    `SELECT call_id FROM live_calls JOIN calls_current AS calls ON calls.id = call_id
     WHERE line = '${SWITCH_LINE}' AND coalesce(ready_at, started_at) <= $1 ORDER BY turn, call_id LIMIT $2`,
    [before, limit],
    { name: 'list-waiting-since' },
  );
  return rows.map(({ call_id }) => call_id);
}

/**
 * The edges end what still rings because of this placing of the call: its switch cannot. Returns when that was noted; undefined: the
 * call has left the switch.
 */
export async function endRinging(
  queryable: Queryable,
  { callId, placing, from }: { callId: string; placing: number; from: string },
): Promise<Date | undefined> {
  await queryable.query(`DELETE FROM sip.lost_calls WHERE lost_at < clock_timestamp() - interval '1 minute'`, [], {
    name: 'forget-lost',
  });
  // Locks the call: another replica that puts it back in line does so before or after this, and not in between.
  const [row] = await queryable.query<{ lost_at: Date }>(
    `INSERT INTO sip.lost_calls (call_id, placed_before)
     SELECT call_id, $3 FROM live_calls WHERE call_id = $1::uuid AND switch = $2 FOR SHARE
     ON CONFLICT (call_id) DO UPDATE SET placed_before = excluded.placed_before, lost_at = excluded.lost_at RETURNING lost_at`,
    [callId, from, placing],
    { name: 'end-ringing' },
  );
  return row?.lost_at;
}

export interface Placing {
  /** How often the call was placed before. */
  nth: number;
  /** The edges were told to end what rings because of it. */
  isSilenced: boolean;
}

/** The present placing of a live call. */
export async function findPlacing(queryable: Queryable, callId: string): Promise<Placing | undefined> {
  const [row] = await queryable.query<Placing>(
    `SELECT attempt / ${PLACING} AS nth, coalesce(placed_before = attempt / ${PLACING}, false) AS "isSilenced"
     FROM live_calls LEFT JOIN sip.lost_calls USING (call_id) WHERE call_id = $1::uuid`,
    [callId],
    { name: 'find-placing' },
  );
  return row;
}

/** What rings because of this call from now on is its next placing. */
export async function letRing(queryable: Queryable, callId: string): Promise<void> {
  await queryable.query('DELETE FROM sip.lost_calls WHERE call_id = $1::uuid', [callId], { name: 'let-ring' });
}

/** Before all calls that have not been on a switch. */
const comeBack = 'switch = NULL, turn = 0';
const lineUp = `${comeBack}, ${nextPlacing}`;
/** Nobody has answered, and the caller's leg was ours to call. */
const mayLineUp = `a_channel IS NULL AND talking_since IS NULL AND requested_at IS NULL AND left_until IS NULL
  AND EXISTS (SELECT FROM calls_current WHERE id = call_id AND answered_at IS NULL AND ended_at IS NULL)`;

export interface LostPlacing {
  callId: string;
  /** Another replica may have seen to it, and the call may be on the same switch again. */
  placing: number;
  from: string;
  at: Date;
  by?: LeaseTerm;
}

/** Puts a call that its switch has lost back in line. The legs of a later placing have names of their own. Returns whether it is. */
export async function lineUpAgain(
  queryable: Queryable,
  { callId, placing, from, at, by }: LostPlacing,
): Promise<boolean> {
  const rows = await queryable.query(
    `WITH lined AS (
       UPDATE live_calls SET ${lineUp}
       WHERE call_id = $1::uuid AND switch = $3 AND attempt / ${PLACING} = $5 AND ${mayLineUp}
         AND ($4::bigint IS NULL OR ${isTermOf('$3', '$4')})
       RETURNING call_id
     ), noted AS (
       INSERT INTO call_timeline (call_id, at, kind, message, detail)
       SELECT call_id, $2, 'leg', 'the switch was lost, the call is placed again', jsonb_build_object('switch', $3::text) FROM lined
     )
     SELECT call_id FROM lined`,
    [callId, at, from, by?.term ?? null, placing],
    { name: 'line-up-again' },
  );
  return rows.length > 0;
}

/**
 * Puts calls back in line that were taken for a term of the switch that is over, and not placed there, which its present driver cannot know.
 * Not those that have been taken again since. Returns the ids of those that it put there.
 */
export async function lineUpUntold(
  queryable: Queryable,
  { calls, by, at }: { calls: { id: string; placedAt: Date | null }[]; by: LeaseTerm; at: Date },
): Promise<string[]> {
  const rows = await queryable.query<{ id: string }>(
    `WITH lined AS (
       UPDATE live_calls SET ${lineUp} FROM unnest($1::uuid[], $2::timestamptz[]) AS taken (id, taken_at)
       WHERE call_id = taken.id AND placed_at = taken_at AND switch = $3 AND NOT ${isTermOf('$3', '$4')} AND ${mayLineUp}
       RETURNING call_id
     ), quiet AS (
       DELETE FROM sip.lost_calls WHERE call_id IN (SELECT call_id FROM lined)
     ), noted AS (
       INSERT INTO call_timeline (call_id, at, kind, message, detail)
       SELECT call_id, $5, 'leg', 'the switch has changed hands, the call is back in line', jsonb_build_object('switch', $3::text) FROM lined
     )
     SELECT call_id AS id FROM lined`,
    [calls.map(({ id }) => id), calls.map(({ placedAt }) => placedAt), by.switchName, by.term, at],
    { name: 'line-up-untold' },
  );
  return rows.map(({ id }) => id);
}

/** Puts calls that were given to a switch, which has not begun to place them, back in line: it takes no new ones, or is not there. */
export async function lineUpUnplaced(queryable: Queryable, switchName: string): Promise<number> {
  const rows = await queryable.query(
    `UPDATE live_calls SET ${comeBack}
     WHERE switch = $1 AND placed_at IS NULL AND a_channel IS NULL RETURNING 1 AS done`,
    [switchName],
    { name: 'line-up-unplaced' },
  );
  return rows.length;
}

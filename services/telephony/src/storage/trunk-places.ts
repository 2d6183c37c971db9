import type { Queryable } from '@sabia/service-kit/postgres/database';

/** What is in use of a carrier with limits, as of one moment; of the switches only the version. */
export interface TrunkPlaces {
  name: string;
  version: number;
  calls: number;
  nextInMs: number;
}

/** Reads at most one small index entry for each call of the carriers, which is what their limits permit. */
export async function readTrunkPlaces(queryable: Queryable, names: string[]): Promise<TrunkPlaces[]> {
  const read = (): Promise<TrunkPlaces[]> =>
    queryable.query<TrunkPlaces>(
      `SELECT trunk AS name, version, (SELECT count(*) FROM live_calls WHERE live_calls.trunk = trunk_places.trunk) AS calls,
         (extract(epoch FROM next_leave_at - clock_timestamp()) * 1000)::float8 AS "nextInMs"
       FROM trunk_places WHERE trunk = ANY ($1::text[])`,
      [names],
      { name: 'read-trunk-places' },
    );
  const known = await read();
  if (known.length === names.length) {
    return known;
  }
  await queryable.query('INSERT INTO trunk_places (trunk) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [names]);
  return read();
}

export interface PlaceTaken {
  callId: string;
  /** Null: no carrier leads to the destination. */
  trunk: string | null;
}

export interface TrunkTaken {
  name: string;
  /** As it was read. */
  version: number;
  /** The highest turn among the calls that go there. */
  turn: number;
  /** How long its calls per second make those that follow wait. */
  pauseMs: number;
}

/**
 * SQL: raises the versions of what the calls leave the line for ($1 to $4). All of it happens or nothing: `current` says no, if
 * another replica has given places there since they were counted. One statement, so that a replica that stops in the middle holds
 * no lock.
 */
const raised = `wanted AS (
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::float8[]) AS wanted (trunk, version, turn, pause)
     ), held AS (
       SELECT trunk_places.trunk FROM trunk_places JOIN wanted ON wanted.trunk = trunk_places.trunk
       WHERE trunk_places.version = wanted.version ORDER BY trunk_places.trunk FOR UPDATE OF trunk_places
     ), current AS (
       SELECT count(*) = cardinality($1::text[]) AS yes FROM held
     ), counted AS (
       UPDATE trunk_places SET version = trunk_places.version + 1, turn = greatest(trunk_places.turn, wanted.turn),
         next_leave_at = greatest(next_leave_at, clock_timestamp()) + wanted.pause * interval '1 millisecond'
       FROM wanted WHERE trunk_places.trunk = wanted.trunk AND (SELECT yes FROM current)
     )`;

const raisedBy = (trunks: TrunkTaken[]): unknown[] => [
  trunks.map(({ name }) => name),
  trunks.map(({ version }) => version),
  trunks.map(({ turn }) => turn),
  trunks.map(({ pauseMs }) => pauseMs),
];

/** Lets calls out of the line onto their carriers; false: another replica was faster, and nothing has happened. */
export async function takePlaces(
  queryable: Queryable,
  { trunks, calls, now, dueAt }: { trunks: TrunkTaken[]; calls: PlaceTaken[]; now: Date; dueAt: Date },
): Promise<boolean> {
  const [row] = await queryable.query<{ isCurrent: boolean }>(
    `WITH ${raised}, leaving AS (
       SELECT * FROM unnest($5::uuid[], $6::text[]) AS leaving (id, to_trunk)
     ), gone AS (
       UPDATE live_calls SET line = NULL, turn = NULL, waits_until = NULL, ready_at = $7, trunk = to_trunk,
         trunks = CASE WHEN to_trunk IS NULL THEN trunks ELSE coalesce(trunks, '{}') || to_trunk END,
         attempt = CASE WHEN placed_at IS NULL THEN attempt ELSE attempt + 1 END,
         due_at = CASE WHEN placed_at IS NULL THEN $8 ELSE due_at END
       FROM leaving WHERE call_id = id AND line IS NOT NULL AND requested_at IS NULL AND (SELECT yes FROM current)
       RETURNING call_id, trunk, told_place
     ), noted AS (
       INSERT INTO call_timeline (call_id, at, kind, message, detail)
       SELECT call_id, $7, 'request', 'a carrier has room', jsonb_build_object('trunk', trunk) FROM gone WHERE told_place IS NOT NULL
     )
     SELECT yes AS "isCurrent" FROM current`,
    [...raisedBy(trunks), calls.map(({ callId }) => callId), calls.map(({ trunk }) => trunk), now, dueAt],
    { name: 'take-places' },
  );
  return row!.isCurrent;
}

export interface SwitchGiven {
  callId: string;
  switchName: string;
}

/** Lets calls out of the line onto switches, whose drivers then place them; false: another replica was faster, and nothing has happened. */
export async function giveSwitches(
  queryable: Queryable,
  { line, calls, now, dueAt }: { line: TrunkTaken; calls: SwitchGiven[]; now: Date; dueAt: Date },
): Promise<boolean> {
  const [row] = await queryable.query<{ isCurrent: boolean }>(
    `WITH ${raised}, gone AS (
       UPDATE live_calls SET line = NULL, turn = NULL, waits_until = NULL, ready_at = $7, due_at = $8, switch = to_switch
       FROM unnest($5::uuid[], $6::text[]) AS leaving (id, to_switch)
       WHERE call_id = id AND line = ANY ($1::text[]) AND requested_at IS NULL AND (SELECT yes FROM current)
       RETURNING call_id, to_switch, told_place
     ), noted AS (
       INSERT INTO call_timeline (call_id, at, kind, message, detail)
       SELECT call_id, $7, 'request', 'a switch has room', jsonb_build_object('switch', to_switch) FROM gone WHERE told_place IS NOT NULL
     )
     SELECT yes AS "isCurrent" FROM current`,
    [...raisedBy([line]), calls.map(({ callId }) => callId), calls.map(({ switchName }) => switchName), now, dueAt],
    { name: 'give-switches' },
  );
  return row!.isCurrent;
}

/** Takes the next moment at which a call may be dialled on a carrier; returns the milliseconds until then. */
export async function takeDialTurn(queryable: Queryable, trunk: string, pauseMs: number): Promise<number> {
  const [row] = await queryable.query<{ waitMs: number }>(
    `INSERT INTO trunk_places AS known (trunk, next_dial_at)
     VALUES ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
     ON CONFLICT (trunk) DO UPDATE SET next_dial_at = greatest(known.next_dial_at, clock_timestamp()) + $2::float8 * interval '1 millisecond'
     RETURNING (extract(epoch FROM next_dial_at - clock_timestamp()) * 1000)::float8 - $2::float8 AS "waitMs"`,
    [trunk, pauseMs],
    { name: 'take-dial-turn' },
  );
  return Math.max(0, row!.waitMs);
}

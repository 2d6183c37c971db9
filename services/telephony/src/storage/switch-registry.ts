import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { RegisteredSwitch, SwitchState } from '../domain/switch-node';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';

// sip.switches: what telephony, the SIP edges and operators know of each switch.

/** A switch that has not responded for so long gets no new calls; what is said in those it has still goes there. */
const SILENT = `interval '5 seconds'`;

/** The edges look twice a second: they refuse the calls of a switch that they do not know yet. */
const TOLD = `interval '1 second'`;

export interface SeenSwitch {
  sip: { host: string; port: number };
  capacity: number;
  /** The switch itself has been told to take no new calls. */
  isDraining: boolean;
}

/** Notes that the switch has just responded; returns its state. Undefined: another replica drives it by now, and nothing is noted. */
export async function noteSwitch(
  queryable: Queryable,
  { switchName, term }: LeaseTerm,
  seen: SeenSwitch,
): Promise<SwitchState | undefined> {
  const [row] = await queryable.query<{ state: SwitchState }>(
    `INSERT INTO sip.switches AS known (name, sip_host, sip_port, capacity, state, seen_at, live_calls)
     SELECT $1, $2, $3::integer, $4::integer, CASE WHEN $5::boolean THEN 'draining' ELSE 'active' END, clock_timestamp(),
       (SELECT count(*) FROM live_calls WHERE switch = $1)
     WHERE ${isTermOf('$1', '$6')}
     ON CONFLICT (name) DO UPDATE SET sip_host = excluded.sip_host, sip_port = excluded.sip_port, capacity = excluded.capacity,
       state = CASE WHEN known.is_held THEN 'draining' ELSE excluded.state END,
       seen_at = excluded.seen_at, live_calls = excluded.live_calls,
       updated_at = CASE
         WHEN (known.sip_host, known.sip_port, known.capacity, known.state) =
              (excluded.sip_host, excluded.sip_port, excluded.capacity, CASE WHEN known.is_held THEN 'draining' ELSE excluded.state END)
         THEN known.updated_at ELSE clock_timestamp() END
     RETURNING state`,
    [switchName, seen.sip.host, seen.sip.port, seen.capacity, seen.isDraining, term],
    { name: 'note-switch' },
  );
  return row?.state;
}

const columns = `name, sip_host AS "sipHost", sip_port AS "sipPort", capacity, state, is_held AS "isHeld", seen_at AS "seenAt",
  live_calls AS "liveCalls"`;

export async function listSwitches(queryable: Queryable): Promise<RegisteredSwitch[]> {
  return queryable.query<RegisteredSwitch>(`SELECT ${columns} FROM sip.switches ORDER BY name`, [], {
    name: 'list-switches',
  });
}

/** The switches that take new calls, and how many calls each has at this moment. */
export async function listOpenSwitches(
  queryable: Queryable,
): Promise<{ name: string; capacity: number; liveCalls: number }[]> {
  return queryable.query(
    `SELECT name, capacity, (SELECT count(*) FROM live_calls WHERE switch = name) AS "liveCalls" FROM sip.switches
     WHERE state = 'active' AND seen_at > clock_timestamp() - ${SILENT} AND updated_at < clock_timestamp() - ${TOLD}`,
    [],
    { name: 'list-open-switches' },
  );
}

/** The replica that drives the switch does not reach it any more. Does nothing if another replica drives it by now. */
export async function noteLost(queryable: Queryable, { switchName, term }: LeaseTerm): Promise<void> {
  await queryable.query(
    `UPDATE sip.switches SET state = 'draining', updated_at = clock_timestamp()
     WHERE name = $1 AND state = 'active' AND ${isTermOf('$1', '$2')}`,
    [switchName, term],
    { name: 'note-lost' },
  );
}

/** Marks the switches that no replica reaches: no new calls at first, gone after the time of absence. Returns those that are gone. */
export async function markUnseen(queryable: Queryable, absenceSeconds: number): Promise<string[]> {
  const rows = await queryable.query<{ name: string; state: SwitchState }>(
    `WITH unseen AS (
       SELECT name, CASE WHEN seen_at < clock_timestamp() - make_interval(secs => $1::float8) THEN 'gone' ELSE 'draining' END AS state
       FROM sip.switches WHERE state <> 'gone' AND seen_at < clock_timestamp() - ${SILENT}
     )
     UPDATE sip.switches AS known SET state = unseen.state, updated_at = clock_timestamp()
     FROM unseen WHERE known.name = unseen.name AND known.state <> unseen.state RETURNING known.name, known.state`,
    [absenceSeconds],
    { name: 'mark-unseen' },
  );
  return rows.filter(({ state }) => state === 'gone').map(({ name }) => name);
}

/** An operator holds a switch back from new calls, or lets it have them again. Undefined: there is no such switch. */
export async function holdSwitch(
  queryable: Queryable,
  name: string,
  isHeld: boolean,
): Promise<RegisteredSwitch | undefined> {
  const [row] = await queryable.query<RegisteredSwitch>(
    `UPDATE sip.switches SET is_held = $2, updated_at = clock_timestamp(),
       state = CASE WHEN state = 'gone' THEN state WHEN $2 THEN 'draining' ELSE 'active' END
     WHERE name = $1 RETURNING ${columns}`,
    [name, isHeld],
  );
  return row;
}

/** Forgets switches that are gone and have left the fleet, once they have no calls. */
export async function forgetGone(queryable: Queryable, fleet: string[]): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.switches WHERE state = 'gone' AND name <> ALL ($1::text[])
       AND NOT EXISTS (SELECT FROM live_calls WHERE switch = name)`,
    [fleet],
    { name: 'forget-gone' },
  );
}

import { outboxInsert } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import { anyValue } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { NewCall } from '../domain/call';
import { isTermOf } from './lease-fence';
import { turnInLine } from './waiting-line';

/** Taken by the driver of the switch, as if it had looked for the call; not if the lease of the switch has another term by now. */
export interface Taken {
  at: Date;
  term: number;
}

export interface Placing {
  call: NewCall;
  /** Published when the call is committed. */
  event: OutgoingEvent;
  dueAt: Date;
  /** Null: it waits in line. */
  switchName: string | null;
  taken?: Taken;
  /** The line in which it waits for a carrier, and until when. */
  waiting?: { line: string; until: Date };
}

export interface PlaceOptions {
  /** Which of the account's counters this process writes. */
  shard: number;
}

const columns = [
  ['id', 'uuid'],
  ['dial_id', 'uuid'],
  ['account_id', 'bigint'],
  ['user_id', 'bigint'],
  ['domain', 'text'],
  ['time_zone', 'text'],
  ['call_type', 'text'],
  ['from_number', 'text'],
  ['to_number', 'text'],
  ['called', 'text'],
  ['started_at', 'timestamptz'],
  ['email', 'text'],
  ['first_name', 'text'],
  ['last_name', 'text'],
  ['bina', 'text'],
  ['metadata', 'text'],
  ['record', 'boolean'],
  ['traceparent', 'text'],
  ['ramal', 'text'],
  ['a_channel', 'text'],
  ['granted_seconds', 'integer'],
  ['due_at', 'timestamptz'],
  ['switch', 'text'],
  ['line', 'text'],
  ['waits_until', 'timestamptz'],
  ['taken_at', 'timestamptz'],
  ['term', 'bigint'],
] as const;

const valuesOf = ({ call, dueAt, switchName, waiting, taken }: Placing): unknown[] => [
  call.id,
  call.dialId,
  call.accountId,
  call.userId,
  call.domain,
  call.timeZone,
  call.type,
  call.from,
  call.to,
  call.called,
  call.startedAt,
  call.email,
  call.firstName,
  call.lastName,
  call.bina,
  call.metadata,
  call.record,
  call.traceparent,
  call.ramal,
  call.aChannel,
  call.grantedSeconds,
  dueAt,
  switchName,
  waiting?.line ?? null,
  waiting?.until ?? null,
  taken?.at ?? null,
  taken?.term ?? null,
];

const firstEventParameter = columns.length + 2;

const statement = `
WITH input AS (
  SELECT * FROM unnest(${columns.map(([, type], index) => anyValue(`$${index + 1}`, `${type}[]`)).join(', ')})
    AS input (${columns.map(([name]) => name).join(', ')})
), placed AS (
  INSERT INTO calls_current (id, dial_id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, called,
    started_at, email, first_name, last_name, bina, metadata, record, traceparent)
  SELECT id, dial_id, account_id, user_id, domain, time_zone, call_type, 'queued', from_number, to_number, called,
    started_at, email, first_name, last_name, bina, metadata::json, record, traceparent
  FROM input
), live AS (
  INSERT INTO live_calls (call_id, account_id, switch, ramal, a_channel, granted_seconds, due_at, placed_at, line, waits_until, turn)
  SELECT id, account_id, switch, ramal, a_channel, granted_seconds,
    CASE WHEN line IS NULL THEN due_at ELSE 'infinity' END,
    CASE WHEN ${isTermOf('input.switch', 'input.term')} THEN taken_at END, line, waits_until, ${turnInLine}
  FROM input
  RETURNING call_id, placed_at
), counted AS (
  INSERT INTO call_counters AS known (account_id, shard, total)
  SELECT account_id, $${columns.length + 1}::smallint, count(*) FROM input GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id, shard) DO UPDATE SET total = known.total + excluded.total
), noted AS (
  INSERT INTO call_timeline (call_id, at, kind, message, detail)
  SELECT id, started_at, 'credit', 'credit reserved', jsonb_build_object('seconds', granted_seconds)
  FROM input WHERE granted_seconds IS NOT NULL
), told AS (
  ${outboxInsert([], firstEventParameter).text}
)
SELECT call_id AS id FROM live WHERE placed_at IS NOT NULL`;

/** Inserts calls, their live rows, counts and events in one atomic statement. Returns the ids of those that are taken. */
export async function insertCalls(queryable: Queryable, placings: Placing[], options: PlaceOptions): Promise<string[]> {
  const rows = placings.map(valuesOf);
  const events = placings.map(({ event }) => event);
  const taken = await queryable.query<{ id: string }>(
    statement,
    [
      ...columns.map((_, column) => rows.map((row) => row[column])),
      options.shard,
      ...outboxInsert(events, firstEventParameter).values,
    ],
    { name: 'insert-calls' },
  );
  return taken.map(({ id }) => id);
}

/** Until the transaction ends, other transactions that call this wait before they add calls of these accounts. */
export async function lockLiveCalls(queryable: Queryable, accountIds: number[]): Promise<void> {
  await queryable.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('live-calls-' || account_id, 0))
     FROM (SELECT account_id FROM unnest($1::bigint[]) AS account_id ORDER BY account_id) AS accounts`,
    [accountIds],
    { name: 'lock-live-calls' },
  );
}

/** How many calls an account has at this moment, and may have at most; 0: any number, and they are not counted. */
export interface LiveCalls {
  live: number;
  maximum: number;
}

/** SQL: kept by triggers of live_calls, so that it costs the same however many there are. */
const liveOf = (account: string): string =>
  `(SELECT coalesce(sum(live), 0) FROM live_call_counters WHERE account_id = ${account})`;

/** An account without a limit of its own may have as many calls as the platform allows. */
export async function countLiveCalls(
  queryable: Queryable,
  accountIds: number[],
  platformMaximum: number,
): Promise<Map<number, LiveCalls>> {
  const rows = await queryable.query<LiveCalls & { accountId: number }>(
    `SELECT account.id AS "accountId", account.maximum,
       CASE WHEN account.maximum = 0 THEN 0 ELSE ${liveOf('account.id')} END AS live
     FROM (
       SELECT id, coalesce(l.live_calls, $2::integer) AS maximum
       FROM unnest(${anyValue('$1', 'bigint[]')}) AS id LEFT JOIN account_limits l ON l.account_id = id
     ) AS account`,
    [accountIds, platformMaximum],
    { name: 'count-live-calls' },
  );
  return new Map(rows.map(({ accountId, ...calls }) => [accountId, calls]));
}

/** Returns the ids that are calls. */
export async function listPlaced(queryable: Queryable, callIds: string[]): Promise<Set<string>> {
  const rows = await queryable.query<{ id: string }>('SELECT id FROM calls WHERE id = ANY ($1::uuid[])', [callIds], {
    name: 'list-placed',
  });
  return new Set(rows.map(({ id }) => id));
}

/** Whether a transaction of telephony has been writing for so long: it may hold calls that are not visible yet. */
export async function isWritingSince(queryable: Queryable, seconds: number): Promise<boolean> {
  const rows = await queryable.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()
       AND xact_start < clock_timestamp() - make_interval(secs => $1) LIMIT 1`,
    [seconds],
    { name: 'is-writing-since' },
  );
  return rows.length > 0;
}

export async function isPlaced(queryable: Queryable, callId: string): Promise<boolean> {
  const rows = await queryable.query('SELECT 1 AS found FROM calls WHERE id = $1::uuid', [callId], {
    name: 'is-placed',
  });
  return rows.length > 0;
}

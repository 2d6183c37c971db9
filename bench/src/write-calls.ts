import type { Client } from 'pg';
import type { BenchStack } from './stack';
import { callsInMonths } from './calls-in-months';
import { withDatabase } from './with-database';

/** How many different phone numbers an account calls, unless a history says otherwise. */
export const usualCallees = 99_991;

/** Calls of one account, at even distances. */
export interface History {
  domain: string;
  rows: number;
  since: Date;
  stepMs: number;
  /** The number of the first of them, which is part of its id; further calls of the same account have other numbers. */
  first: number;
  /** From 0 to 9; part of the ids, too. */
  nth: number;
  /** How many different phone numbers are called. */
  callees?: number;
}

/** How many connections write at the same time. */
const writers = 2;
/** So many calls are written by one statement. */
const mostAtOnce = 2_000_000;

type Say = (line: string) => void;
type Stack = Pick<BenchStack, 'postgresUrl'>;

/** Writes all rows first and the indexes afterwards; returns the ids of the accounts. */
export async function writeCalls(stack: Stack, histories: readonly History[], say: Say): Promise<number[]> {
  return withDatabase(stack, async (client) => {
    await client.query('SET search_path = telephony');
    const table = await callsInMonths(client);
    const indexes = await client.query<{ indexname: string; indexdef: string }>(
      `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'telephony' AND tablename = $1 AND indexname <> 'calls_pkey'
       ORDER BY indexdef NOT LIKE '% USING gin %', indexname`,
      [table],
    );
    for (const { indexname } of indexes.rows) await client.query(`DROP INDEX ${indexname}`);
    const ids: number[] = [];
    for (const history of histories) ids.push(await accountOf(client, history));
    await divide(stack, farApart(histories.flatMap(partsOf)), async (writer, { history, from, count }) => {
      say(`writing ${count.toLocaleString('en')} of ${history.rows.toLocaleString('en')} calls …`);
      await fill(writer, table, ids[histories.indexOf(history)]!, history, { from, count });
    });
    // The largest index comes first, so that the others are written beside it.
    await divide(stack, indexes.rows, async (writer, { indexname, indexdef }) => {
      say(`index ${indexname} …`);
      await writer.query(indexdef.replace(' ON ONLY ', ' ON '));
    });
    await client.query('VACUUM (ANALYZE) calls');
    await client.query('CHECKPOINT');
    return ids;
  });
}

/** Some connections go through the work together, in its order. */
async function divide<T>(
  stack: Stack,
  work: readonly T[],
  run: (writer: Client, item: T) => Promise<void>,
): Promise<void> {
  const items = work.values();
  const goOn = (): Promise<void> =>
    withDatabase(stack, async (writer) => {
      await writer.query(
        "SET search_path = telephony; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off",
      );
      for (const item of items) await run(writer, item);
    });
  const ends = await Promise.allSettled(Array.from({ length: writers }, goOn));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

interface Part {
  history: History;
  /** How many of its calls come before. */
  from: number;
  count: number;
}

/** Neighbours are written one after the other, so that rows lie in the order of their time, as those of real calls do. */
function farApart(parts: Part[]): Part[] {
  const share = Math.ceil(parts.length / writers);
  return Array.from({ length: share }).flatMap((_, nth) => parts.filter((_part, place) => place % share === nth));
}

function partsOf(history: History): Part[] {
  const { rows } = history;
  return Array.from({ length: Math.ceil(rows / mostAtOnce) }, (_, nth) => {
    const from = nth * mostAtOnce;
    return { history, from, count: Math.min(mostAtOnce, rows - from) };
  });
}

/** The account of the domain, which counts the calls that are about to be written. */
async function accountOf(client: Client, { domain, rows }: History): Promise<number> {
  const { rows: found } = await client.query<{ account_id: string }>(
    'SELECT account_id FROM extensions.extensions WHERE domain = $1 LIMIT 1',
    [domain],
  );
  const accountId = found[0]!.account_id;
  await client.query(
    `INSERT INTO call_counters (account_id, shard, total) VALUES ($1, 0, $2)
     ON CONFLICT (account_id, shard) DO UPDATE SET total = call_counters.total + excluded.total`,
    [accountId, rows],
  );
  return Number(accountId);
}

async function fill(
  client: Client,
  table: string,
  accountId: number,
  { domain, nth, first, since, stepMs, callees = usualCallees }: History,
  { from, count }: Pick<Part, 'from' | 'count'>,
): Promise<void> {
  await client.query(
    `INSERT INTO ${table} (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, bina, minute_price,
       call_price, billed_seconds, metadata, record)
     SELECT (lpad(to_hex(ms), 12, '0') || '700' || $3 || '8' || lpad(to_hex(n), 15, '0'))::uuid,
       $1, 1, $2, 'America/Sao_Paulo', CASE WHEN n % 50 = 0 THEN 'internal' ELSE 'outbound' END, 'ended',
       (1000 + n % 500)::text, (5511900000000 + n % $9::bigint)::text, to_timestamp(ms / 1000.0),
       to_timestamp(ms / 1000.0 + 5), to_timestamp(ms / 1000.0 + 35), n % 600,
       CASE WHEN n % 997 = 0 THEN 'USER_BUSY' ELSE 'NORMAL_CLEARING' END, '16', 'u' || n % 700 || '@example.com',
       'Nome ' || n % 300, 'Sobrenome ' || n % 5000, (551140000000 + n % 400)::text, n % 7 * 0.1, n % 1300 * 0.01, 30,
       json_build_object('leadId', n, 'campaign', 'c' || n % 20), false
     FROM generate_series($4::bigint + $5::bigint, $4::bigint + $5::bigint + $6::bigint - 1) AS n,
       LATERAL (SELECT $7::bigint + ((n - $4::bigint + 1) * $8::float8)::bigint AS ms) AS call`,
    [accountId, domain, String(nth), first, from, count, since.getTime(), stepMs, callees],
  );
}

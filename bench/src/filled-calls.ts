import type { Client } from 'pg';
import { openFilledAccount } from './filled-account';
import type { BenchStack } from './stack';
import { withDatabase } from './with-database';

/** Calls of the last days, the newest first, six seconds apart: what people look at. */
const recent = { since: new Date(Date.now() - 60_000), stepMs: -6_000 };

const day = (daysAgo: number): string =>
  new Date(recent.since.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10);

export interface CallsAccount {
  accountId: number;
  token: string;
  rows: number;
}

/** What a filter may name, with a question that a person would ask: some find many calls, some a single one. */
export const filters: Record<string, object> = {
  id: { id: idOf(77) },
  started_at: { started_at: { between: [day(21), day(20)] } },
  ended_at: { ended_at: { gte: day(21), lt: day(20) } },
  from: { from: '1001' },
  to: { to: '5511900000007' },
  first_name: { first_name: 'Nome 7' },
  last_name: { last_name: 'Sobrenome 77' },
  email: { email: 'u7@example.com' },
  BINA: { BINA: '551140000007' },
  call_type: { call_type: 'internal', started_at: { gte: day(50), lt: day(20) } },
  hangup_cause: { hangup_cause: 'USER_BUSY' },
  duration: { duration: 599 },
  minute_price: { minute_price: 0.6, duration: 599 },
  call_price: { call_price: 12.99 },
  metadata: { 'metadata.leadId': 77_777 },
};

/** How many extensions each of the accounts has, from 1000 on. */
export const agentsOfAccount = 250;

/** Accounts that have made so many calls. */
export async function openCallsAccounts(
  stack: BenchStack,
  sizes: number[],
  say: (line: string) => void,
  span: Pick<History, 'since' | 'stepMs'> = recent,
): Promise<CallsAccount[]> {
  const accounts: { token: string; domain: string; rows: number }[] = [];
  for (const rows of sizes) accounts.push({ ...(await openFilledAccount(stack, agentsOfAccount)), rows });
  const histories = accounts.map(({ domain, rows }, nth) => ({ domain, rows, nth, first: 1, ...span }));
  const ids = await withDatabase(stack, (client) => writeCalls(client, histories, say));
  return accounts.map(({ token, rows }, nth) => ({ accountId: ids[nth]!, token, rows }));
}

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

/** Writes all rows at once, and the indexes afterwards; returns the ids of the accounts. */
export async function writeCalls(
  client: Client,
  histories: readonly History[],
  say: (line: string) => void,
): Promise<number[]> {
  const ids: number[] = [];
  await client.query("SET search_path = telephony; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off");
  const indexes = await client.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'telephony' AND tablename = 'calls' AND indexname <> 'calls_pkey'`,
  );
  for (const { indexname } of indexes.rows) await client.query(`DROP INDEX ${indexname}`);
  for (const history of histories) {
    say(`writing ${history.rows.toLocaleString('en')} calls …`);
    ids.push(await fill(client, history));
  }
  for (const { indexname, indexdef } of indexes.rows) {
    say(`index ${indexname} …`);
    await client.query(indexdef.replace(' ON ONLY ', ' ON '));
  }
  await client.query('VACUUM (ANALYZE) calls');
  await client.query('CHECKPOINT');
  return ids;
}

async function fill(
  client: Client,
  { domain, rows, nth, first, since, stepMs, callees = usualCallees }: History,
): Promise<number> {
  const { rows: found } = await client.query<{ account_id: string }>(
    'SELECT account_id FROM extensions.extensions WHERE domain = $1 LIMIT 1',
    [domain],
  );
  const accountId = found[0]!.account_id;
  await client.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
       answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, bina, minute_price,
       call_price, billed_seconds, metadata, record)
     SELECT (lpad(to_hex(ms), 12, '0') || '700' || $3 || '8' || lpad(to_hex(n), 15, '0'))::uuid,
       $1, 1, $2, 'America/Sao_Paulo', CASE WHEN n % 50 = 0 THEN 'internal' ELSE 'outbound' END, 'ended',
       (1000 + n % 500)::text, (5511900000000 + n % $8::bigint)::text, to_timestamp(ms / 1000.0),
       to_timestamp(ms / 1000.0 + 5), to_timestamp(ms / 1000.0 + 35), n % 600,
       CASE WHEN n % 997 = 0 THEN 'USER_BUSY' ELSE 'NORMAL_CLEARING' END, '16', 'u' || n % 700 || '@example.com',
       'Nome ' || n % 300, 'Sobrenome ' || n % 5000, (551140000000 + n % 400)::text, n % 7 * 0.1, n % 1300 * 0.01, 30,
       json_build_object('leadId', n, 'campaign', 'c' || n % 20), false
     FROM generate_series($4::bigint, $4::bigint + $5::bigint - 1) AS n,
       LATERAL (SELECT $6::bigint + ((n - $4::bigint + 1) * $7::float8)::bigint AS ms) AS call`,
    [accountId, domain, String(nth), first, rows, since.getTime(), stepMs, callees],
  );
  await client.query(
    `INSERT INTO call_counters (account_id, shard, total) VALUES ($1, 0, $2)
     ON CONFLICT (account_id, shard) DO UPDATE SET total = call_counters.total + excluded.total`,
    [accountId, rows],
  );
  return Number(accountId);
}

function idOf(n: number): string {
  const time = (recent.since.getTime() + n * recent.stepMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8${n.toString(16).padStart(15, '0').slice(0, 3)}-${n.toString(16).padStart(12, '0')}`;
}

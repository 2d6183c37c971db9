import { createDatabase } from '@sabia/service-kit/postgres/database';
import { silent } from '../stage';
import type { Stage } from '../stage';

const ROWS = 1_000_000;
const SLICE = 100_000;

/** A version 7 uuid of the minute a call began. */
const idOf = `(lpad(to_hex((1700000000000 + n * 60000::bigint)), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid`;

const fill = `
  INSERT INTO telephony.calls_final (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number,
    started_at, answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, bina,
    minute_price, call_price, billed_seconds, metadata, record)
  SELECT ${idOf}, CASE WHEN n % 10 = 0 THEN $1::bigint + 1 ELSE $1::bigint END, 1, 'd', 'America/Sao_Paulo',
    CASE WHEN n % 50 = 0 THEN 'internal' ELSE 'outbound' END, 'ended', (1000 + n % 500)::text,
    (5511900000000 + n % 99991)::text, to_timestamp(1700000000 + n * 60), to_timestamp(1700000005 + n * 60),
    to_timestamp(1700000035 + n * 60), n % 600, CASE WHEN n % 997 = 0 THEN 'USER_BUSY' ELSE 'NORMAL_CLEARING' END, '16',
    'u' || n % 700 || '@example.com', 'Nome ' || n % 300, 'Sobrenome ' || n % 5000, (551140000000 + n % 400)::text,
    n % 7 * 0.1, n % 1300 * 0.01, 30, ('{"leadId":' || n || ',"campaign":"c' || n % 20 || '"}')::json, false
  FROM generate_series($2::bigint, $3::bigint) AS n`;

/** PostgreSQL has two cores to use. */
async function byTwo<T>(queue: T[], work: (next: T) => Promise<unknown>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

/** A million calls, a minute apart; each tenth is of another account, the next one. */
export async function fillMillion(stage: Stage, accountId: number): Promise<void> {
  const { sql } = stage;
  // A busy machine may take its time over an index.
  const options = { url: stage.database.adminUrl, applicationName: 'test', poolSize: 2, log: silent };
  const admin = createDatabase({ ...options, statementTimeoutMs: 200_000 });
  // The test is about reading: no log is written for what nobody will recover, and indexes are made once, behind the rows.
  for (const table of ['live_calls', 'recordings', 'calls_before'])
    await admin.query(`ALTER TABLE telephony.${table} SET UNLOGGED`);
  const indexes = await admin.query<{ indexdef: string; indexname: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'telephony' AND tablename = 'calls_final' AND indexname <> 'calls_pkey'`,
  );
  for (const { indexname } of indexes) await admin.query(`DROP INDEX telephony.${indexname}`);
  const slices = Array.from({ length: ROWS / SLICE }, (_, nth) => nth * SLICE);
  await byTwo(slices, (first) => admin.query(fill, [accountId, first + 1, first + SLICE]));
  await byTwo([...indexes], ({ indexname, indexdef }) =>
    admin.transaction(async (tx) => {
      await tx.query(`SET LOCAL maintenance_work_mem = '256MB'`);
      const ofPartition = indexname.replace('calls_', 'calls_before_');
      await tx.query(indexdef.replace(/ \S+ ON ONLY \S+ /, ` ${ofPartition} ON telephony.calls_before `));
    }),
  );
  // Those of the partition are taken over.
  for (const { indexdef } of indexes) await admin.query(indexdef.replace(' ON ONLY ', ' ON '));
  await admin.query('VACUUM ANALYZE telephony.calls');
  await admin.close();
  await sql.query(
    `INSERT INTO call_counters (account_id, shard, total) SELECT account_id, 0, count(*) FROM calls GROUP BY account_id`,
  );
}

import { queryDatabase } from '../find-in-database';

/** Writes ended calls of an account, a minute apart, as if they had been made: placing as many would take hours. */
export async function writeCalls(
  stack: { postgresUrl: string },
  { domain, count }: { domain: string; count: number },
): Promise<void> {
  const [account] = await queryDatabase<{ id: string }>(
    stack.postgresUrl,
    'SELECT id FROM identity.accounts WHERE domain = $1',
    [domain],
  );
  await queryDatabase(
    stack.postgresUrl,
    `INSERT INTO telephony.calls_final (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number,
       started_at, answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name,
       minute_price, call_price, billed_seconds, metadata, record)
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex($1 * 1000000 + n), 15, '0'))::uuid,
       $1, 1, $2, 'America/Sao_Paulo', 'outbound', 'ended', (1000 + n % 50)::text, (5511900000000 + n)::text,
       at, at + interval '5 seconds', at + interval '35 seconds', 30,
       CASE WHEN n % 10 = 0 THEN 'USER_BUSY' ELSE 'NORMAL_CLEARING' END, CASE WHEN n % 10 = 0 THEN '17' ELSE '16' END,
       'ana@example.com', 'Ana', 'Silva', 0.3, 0.15, 30, '{}', false
     FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, $3::bigint) AS n) AS moments`,
    [account!.id, domain, count],
  );
  await queryDatabase(
    stack.postgresUrl,
    `INSERT INTO telephony.call_counters AS counters (account_id, shard, total) VALUES ($1, 0, $2)
     ON CONFLICT (account_id, shard) DO UPDATE SET total = counters.total + excluded.total`,
    [account!.id, count],
  );
}

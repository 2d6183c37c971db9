import { newAccount, openStage } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
let binary: Replica;
let plain: Replica;

beforeAll(async () => {
  stage = await openStage();
  binary = await stage.start();
  plain = await stage.start({}, { plainPaths: new Set(['binary-rows']) });
});

afterAll(async () => {
  await binary?.stop();
  await plain?.stop();
  await stage?.close();
});

const filters = [
  {},
  { where: { from: '1001' } },
  { where: { duration: { gt: 3 }, status: 'ended' }, order: 'duration DESC' },
  { order: 'from ASC' },
  { where: { 'metadata.nth': 7 } },
  { limit: 4, offset: 2 },
];

test('a list says the same with and without binary rows', async () => {
  const caller = newAccount(stage);
  await stage.sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, called, started_at,
       answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, bina, minute_price,
       call_price, billed_seconds, metadata, record, record_url)
     SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, $1, 1, 'd.example',
       'America/Sao_Paulo', 'outbound', CASE WHEN n % 4 = 0 THEN 'ringing' ELSE 'ended' END, (1000 + n % 3)::text, '55119' || n,
       CASE WHEN n % 2 = 0 THEN '+55 119' || n END, to_timestamp(1700000000 + n / 1000.0),
       CASE WHEN n % 4 > 0 THEN to_timestamp(1700000001.25) END, CASE WHEN n % 4 > 0 THEN to_timestamp(1700000009) END,
       CASE WHEN n % 4 > 0 THEN n END, CASE WHEN n % 4 > 0 THEN 'NORMAL_CLEARING' END, '16', 'ação@example.com', 'Ação', 'N',
       CASE WHEN n % 5 = 0 THEN '551140000000' END, CASE WHEN n % 3 = 0 THEN 0.0123 END, CASE WHEN n % 3 = 0 THEN 12.5 END,
       CASE WHEN n % 3 = 0 THEN 30 END, json_build_object('nth', n), false, CASE WHEN n % 6 = 0 THEN 'http://r.example/' || n END
     FROM generate_series(0, 11) AS n`,
    [caller.accountId],
  );
  for (const filter of filters) {
    const request = { filter: JSON.stringify(filter), page: 1 };
    const [fast, slow] = await Promise.all([binary, plain].map((replica) => replica.as(caller).listCalls(request)));
    expect(slow).toEqual(fast);
    expect(slow!.data.length).toBeGreaterThan(0);
  }
});

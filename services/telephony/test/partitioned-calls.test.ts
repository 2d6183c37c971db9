import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

const script = readFileSync(join(__dirname, '../../../deploy/postgres/partition-calls.sql'), 'utf8');
let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

/** The partition that a row is in. */
const homeOf = async (id: string): Promise<string | undefined> =>
  (await stage.sql.query<{ home: string }>('SELECT tableoid::regclass::text AS home FROM calls WHERE id = $1', [id]))[0]
    ?.home;

test('calls become partitions by month under a running service: old ones stay, live ones go on, new ones come', async () => {
  const telephony = replica.as(newAccount(stage));
  const place = (called: string) => telephony.placeCall({ extension: '1000', called, metadata: '{"a":1}' });
  const old = await place(numbers.busy);
  await whenCall(telephony, old.id, 'ended');
  const talking = await place(numbers.answer);
  await whenCall(telephony, talking.id, 'answered');

  await stage.sql.query(script);

  const fresh = await telephony.dial({ extension: '1000', phone: numbers.busy });
  await telephony.hangUp({ id: talking.id });
  expect((await whenCall(telephony, talking.id, 'ended')).hangup_cause).toBe('NORMAL_CLEARING');
  const list = await telephony.listCalls({ page: 1, filter: '{"where":{"metadata.a":1},"order":"started_at ASC"}' });
  expect(list.data.map(({ id }) => id)).toEqual([old.id, talking.id]);
  expect((await telephony.listCalls({ page: 1 })).meta?.totalItemCount).toBe(3);
  expect(fresh.id).not.toBe('');
  expect(await homeOf(old.id)).toBe('calls_until_partitions');
});

test('the call of a later month is kept in its partition, and is asked for there alone', async () => {
  const [{ month, id } = { month: '', id: '' }] = await stage.sql.query<{ month: string; id: string }>(
    `SELECT to_char(m, 'YYYY_MM') AS month, first_call_id(m)::text AS id
     FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months')::date AS m) AS later`,
  );
  await stage.sql.query(
    `INSERT INTO calls SELECT (jsonb_populate_record(calls, jsonb_build_object('id', $1::text))).* FROM calls LIMIT 1`,
    [id],
  );
  expect(await homeOf(id)).toBe(`calls_${month}`);
  const plan = await stage.sql.query<Record<string, string>>(`EXPLAIN SELECT FROM calls WHERE id = '${id}'`);
  expect(plan.map((row) => row['QUERY PLAN']).join()).toMatch(/calls_\d{4}_\d{2}/);
  expect(plan.map((row) => row['QUERY PLAN']).join()).not.toContain('until_partitions');
});

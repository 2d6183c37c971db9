import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { eventually } from '@sabia/testkit/eventually';
import { countLiveCalls } from '../src/storage/place-calls';
import { insertCalls } from './support/insert-calls';
import { watch } from './support/list-plans';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

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

const place = async (caller: Caller, called: string): Promise<string> =>
  (await replica.as(caller).placeCall({ extension: '1000', called })).id;

/** The version of the record: another one with each write. */
const versionOf = async (id: string): Promise<string> =>
  (await stage.sql.query<{ version: string }>('SELECT ctid::text AS version FROM calls WHERE id = $1', [id]))[0]!
    .version;

test('the record of a call is written when it is accepted and when it ends, and not in between', async () => {
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  const id = await place(caller, numbers.answer);
  const accepted = await versionOf(id);
  await whenCall(telephony, id, 'answered');
  expect(await versionOf(id)).toBe(accepted);
  await telephony.hangUp({ id });
  await whenCall(telephony, id, 'ended');
  expect(await versionOf(id)).not.toBe(accepted);
});

test('the number of live calls is known without counting them, whoever begins and ends them', async () => {
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  const known = async () => {
    const calls = await countLiveCalls(stage.sql, [caller.accountId], 10);
    return calls.get(caller.accountId)!.live;
  };
  expect(await known()).toBe(0);
  const ids = await Promise.all([1, 2, 3].map(() => place(caller, numbers.answer)));
  expect(await known()).toBe(3);
  await whenCall(telephony, ids[0]!, 'answered');
  await telephony.hangUp({ id: ids[0]! });
  await whenCall(telephony, ids[0]!, 'ended');
  expect(await known()).toBe(2);
  await Promise.all(ids.slice(1).map((id) => telephony.hangUp({ id })));
  await Promise.all(ids.map((id) => whenCall(telephony, id, 'ended')));
  expect(await known()).toBe(0);
  const { watched, plans } = watch(stage.sql);
  await countLiveCalls(watched, [caller.accountId], 10);
  expect(plans.join()).not.toMatch(/live_calls/);
});

describe('calls that last, among others', () => {
  let caller: Caller;
  let ids: Record<'unanswered' | 'talked' | 'ringing' | 'talking', string>;

  beforeAll(async () => {
    caller = newAccount(stage);
    const [unanswered, talked] = await insertCalls(stage.sql, caller.accountId, [
      { at: '2026-03-02T12:00:00Z', cause: 'NO_ANSWER' },
      { at: '2026-03-02T13:00:00Z', seconds: 60 },
    ]);
    const ringing = await place(caller, numbers.noAnswer);
    await whenCall(replica.as(caller), ringing, 'ringing');
    const talking = await place(caller, numbers.answer);
    await whenCall(replica.as(caller), talking, 'answered');
    ids = { unanswered: unanswered!, talked: talked!, ringing, talking };
  });

  const namesOf = (found: { id: string }[]): string[] =>
    found.map(({ id }) => Object.entries(ids).find(([, known]) => known === id)![0]);

  test.each<[object, string[]]>([
    [{ status: 'ringing' }, ['ringing']],
    [{ status: 'answered' }, ['talking']],
    [{ status: 'queued' }, []],
    [{ status: 'ended' }, ['talked', 'unanswered']],
    [{ status: { neq: 'ended' } }, ['talking', 'ringing']],
    [{ status: { inq: ['answered', 'ended'] } }, ['talking', 'talked', 'unanswered']],
    [{ status: { like: '%ing' } }, ['ringing']],
    [{ answered_at: { gte: '2026-03-01' } }, ['talking', 'talked']],
    [{ answered_at: { gte: '2026-03-01', lt: '2026-03-05' } }, ['talked']],
    [{ answered_at: { gt: '2026-03-05' } }, ['talking']],
    [{ answered_at: null }, ['ringing', 'unanswered']],
    [{ answered_at: { neq: null } }, ['talking', 'talked']],
    [{ or: [{ status: 'ringing' }, { answered_at: { lt: '2026-03-05' } }] }, ['ringing', 'talked']],
    [{ status: 'answered', from: '1000', answered_at: { gt: '2026-03-05' } }, ['talking']],
    [{ ended_at: null }, ['talking', 'ringing']],
    [{ from: '1000' }, ['talking', 'ringing', 'talked', 'unanswered']],
  ])('%j finds those whose state it is, in pages, totals and files', async (where, expected) => {
    const telephony = replica.as(caller);
    const { data, meta } = await telephony.listCalls({ filter: JSON.stringify({ where }) });
    expect([namesOf(data), meta!.totalItemCount]).toEqual([expected, expected.length]);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => telephony.listCalls({ page, filter: JSON.stringify({ where, limit: 1 }) })),
    );
    expect(namesOf(pages.flatMap((page) => page.data))).toEqual(expected);
    const { chunk } = await telephony.exportCalls({ filter: JSON.stringify({ where }) });
    expect(chunk.toString().trim().split('\r\n')).toHaveLength(1 + expected.length);
  });

  test('each is told with its state, alone and in lists', async () => {
    const telephony = replica.as(caller);
    const { data } = await telephony.listCalls({});
    expect(data.map(({ status }) => status)).toEqual(['answered', 'ringing', 'ended', 'ended']);
    for (const listed of data) expect((await telephony.getCall({ id: listed.id })).call).toEqual(listed);
    expect((await telephony.listLiveCalls({})).calls).toEqual(data.slice(0, 2));
    const byAnswer = await telephony.listCalls({
      filter: '{"order":"answered_at ASC","where":{"answered_at":{"neq":null}}}',
    });
    expect(namesOf(byAnswer.data)).toEqual(['talked', 'talking']);
    const { total } = await telephony.summarizeCalls({ startDate: new Date(Date.now() - 3_600_000).toISOString() });
    expect(total).toMatchObject({ calls: 2, live: 2, answered: 1 });
  });
});

describe('beside a replica of the former release', () => {
  const former = (sql: string, id: string) => stage.sql.query(sql, [id]);

  test('a call that it answered is told, found and ended as answered', async () => {
    const caller = newAccount(stage);
    const telephony = replica.as(caller);
    const id = await place(caller, numbers.noAnswer);
    await whenCall(telephony, id, 'ringing');
    await former(`UPDATE calls SET status = 'answered', answered_at = now() - interval '5 s' WHERE id = $1`, id);
    expect((await telephony.getCall({ id })).call!.status).toBe('answered');
    const { meta } = await telephony.listCalls({ filter: '{"where":{"status":"answered"}}' });
    expect(meta!.totalItemCount).toBe(1);
    await telephony.hangUp({ id });
    const { hangup_cause, duration } = await whenCall(telephony, id, 'ended');
    expect(hangup_cause).toBe('NORMAL_CLEARING');
    expect(duration).toBeGreaterThanOrEqual(5);
  });

  test('it finds the state of calls where it looks for it, for as long as it runs', async () => {
    const caller = newAccount(stage);
    const recordOf = async (id: string) =>
      (await former('SELECT status, answered_at IS NOT NULL AS answered FROM calls WHERE id = $1', id))[0];
    const before = await place(caller, numbers.answer);
    await whenCall(replica.as(caller), before, 'answered');
    expect(await recordOf(before)).toEqual({ status: 'queued', answered: false });
    await stage.sql.query('INSERT INTO replicas (id, seen_at) VALUES (gen_random_uuid(), now())');
    const ringing = await place(caller, numbers.noAnswer);
    await eventually(async () => {
      expect(await recordOf(before)).toEqual({ status: 'answered', answered: true });
      expect(await recordOf(ringing)).toEqual({ status: 'ringing', answered: false });
      return true;
    });
    await stage.sql.query('DELETE FROM replicas WHERE NOT reads_live_state');
  });
});

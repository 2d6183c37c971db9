import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import type { Trunk } from '../src/domain/trunk';
import { SWITCH_LINE } from '../src/domain/waiting-line';
import { takeDialTurn } from '../src/storage/trunk-places';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
const replicas: Replica[] = [];

beforeAll(async () => {
  stage = await openStage();
});

afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  await stage.sql.query('DELETE FROM live_calls');
});

afterAll(() => stage?.close());

async function start(trunks: Partial<Trunk>[], rest: { waitSeconds?: number } = {}): Promise<Replica> {
  const named = trunks.map((trunk, index) => ({ name: `carrier-${index}`, format: 'e164' as const, ...trunk }));
  const replica = await stage.start({ trunks: named, ...rest });
  replicas.push(replica);
  return replica;
}

const place = async (replica: Replica, caller: Caller, called = numbers.answer): Promise<string> =>
  (await replica.as(caller).placeCall({ extension: '1000', called })).id;

const placeMany = (replica: Replica, caller: Caller, count: number) =>
  Promise.all(Array.from({ length: count }, () => place(replica, caller)));

async function placesOf(replica: Replica, caller: Caller, id: string) {
  const { entries } = await replica.as(caller).getCallTimeline({ id });
  return entries
    .filter(({ message }) => ['waits for a carrier', 'moved up in the line', 'a carrier has room'].includes(message))
    .map(({ message, detail }) => ({ message, ...(JSON.parse(detail!) as { place?: number; trunk?: string }) }));
}

const waiting = async () =>
  (await stage.sql.query<{ id: string }>(`SELECT call_id AS id FROM live_calls WHERE line <> '${SWITCH_LINE}'`)).map(
    ({ id }) => id,
  );

const onTrunks = async () => {
  const rows = await stage.sql.query<{ trunk: string; calls: number }>(
    'SELECT trunk, count(*) AS calls FROM live_calls WHERE trunk IS NOT NULL GROUP BY trunk ORDER BY trunk',
  );
  return Object.fromEntries(rows.map(({ trunk, calls }) => [trunk, calls]));
};

test('operators see the limits of carriers', async () => {
  const routes = [{ prefix: '55', costPerMinute: 0.02 }];
  const replica = await start([{ maximumCalls: 30, callsPerSecond: 0.5, priority: 2, routes }, {}]);
  const operator = Caller.fromPartial({ operator: { uuid: 'o', name: 'Rosa' } });
  const { trunks } = await replica.as(operator).listTrunks({});
  expect(trunks).toMatchObject([
    { name: 'carrier-0', maximumCalls: 30, callsPerSecond: 0.5, priority: 2, routes },
    { name: 'carrier-1', maximumCalls: undefined, callsPerSecond: undefined, priority: 0, routes: [] },
  ]);
});

test('beyond the limit of the only carrier calls wait, are told their place, and go on when a call ends', async () => {
  const replica = await start([{ maximumCalls: 1 }]);
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  const first = await place(replica, caller);
  await whenCall(telephony, first, 'answered');
  const second = await place(replica, caller);
  const third = await place(replica, caller);
  await eventually(async () => (await placesOf(replica, caller, third)).length === 1);
  expect(await placesOf(replica, caller, second)).toEqual([{ message: 'waits for a carrier', place: 1 }]);
  expect(await placesOf(replica, caller, third)).toEqual([{ message: 'waits for a carrier', place: 2 }]);
  expect((await telephony.getCall({ id: second })).call).toMatchObject({ status: 'queued' });
  expect(await placesOf(replica, caller, first)).toEqual([]);

  await telephony.hangUp({ id: first });
  await whenCall(telephony, second, 'answered');
  await eventually(async () => (await placesOf(replica, caller, third)).length === 2);
  expect(await placesOf(replica, caller, third)).toEqual([
    { message: 'waits for a carrier', place: 2 },
    { message: 'moved up in the line', place: 1 },
  ]);
  await telephony.hangUp({ id: second });
  await whenCall(telephony, third, 'answered');
  expect((await placesOf(replica, caller, third)).at(-1)).toEqual({
    message: 'a carrier has room',
    trunk: 'carrier-0',
  });
  await telephony.hangUp({ id: third });
  await whenCall(telephony, third, 'ended');
});

test('what finds no room on the cheap carrier goes to the dear one, and waits only when both are full', async () => {
  const replica = await start([
    { maximumCalls: 3, routes: [{ prefix: '55', costPerMinute: 9 }] },
    { maximumCalls: 2, routes: [{ prefix: '55', costPerMinute: 1 }] },
  ]);
  const caller = newAccount(stage);
  await placeMany(replica, caller, 4);
  await eventually(async () => Object.values(await onTrunks()).reduce((sum, calls) => sum + calls, 0) === 4);
  expect(await onTrunks()).toEqual({ 'carrier-0': 2, 'carrier-1': 2 });
  await placeMany(replica, caller, 3);
  await eventually(async () => (await onTrunks())['carrier-0'] === 3);
  expect(await waiting()).toHaveLength(2);
});

test('limits hold over replicas under a burst', async () => {
  const limits = [{ maximumCalls: 7 }];
  const [one, other] = [await start(limits), await start(limits)];
  const callers = [newAccount(stage), newAccount(stage), newAccount(stage)];
  let most = 0;
  const watching = new AbortController();
  const watch = (async () => {
    while (!watching.signal.aborted) most = Math.max(most, (await onTrunks())['carrier-0'] ?? 0);
  })();
  const ids = await Promise.all(
    callers.flatMap((caller) => [one, other].flatMap((replica) => placeMany(replica, caller, 10))),
  ).then((all) => all.flat());
  await eventually(async () => (await onTrunks())['carrier-0'] === 7);
  // Each call that ends makes room for one.
  const { length } = ids;
  const ended = new Set<string>();
  await eventually(async () => {
    const live = await stage.sql.query<{ id: string; account: number }>(
      'SELECT call_id AS id, account_id AS account FROM live_calls WHERE talking_since IS NOT NULL',
    );
    await Promise.all(
      live.map(async ({ id, account }) => {
        ended.add(id);
        await one.as(callers.find(({ accountId }) => accountId === account)!).hangUp({ id });
      }),
    );
    if ((await stage.sql.query('SELECT FROM live_calls')).length > 0) throw new Error('calls are left');
    return true;
  });
  watching.abort();
  await watch;
  expect(most).toBeLessThanOrEqual(7);
  expect(ended.size).toBe(length);
  const causes = await stage.sql.query<{ cause: string; calls: number }>(
    'SELECT hangup_cause AS cause, count(*) AS calls FROM calls WHERE id = ANY ($1::uuid[]) GROUP BY 1',
    [ids],
  );
  expect(causes).toEqual([{ cause: 'NORMAL_CLEARING', calls: length }]);
});

test('accounts take turns: who comes late with one call does not wait for all calls of another account', async () => {
  const replica = await start([{ maximumCalls: 1 }]);
  const [busy, late] = [newAccount(stage), newAccount(stage)];
  const first = await place(replica, busy);
  await whenCall(replica.as(busy), first, 'answered');
  await placeMany(replica, busy, 20);
  const single = await place(replica, late);
  const order = await stage.sql.query<{ id: string }>(
    'SELECT call_id AS id FROM live_calls WHERE line IS NOT NULL ORDER BY turn, call_id LIMIT 2',
  );
  expect(order.map(({ id }) => id)).toContain(single);
});

test('a call that is asked to end while it waits ends at once, and nobody is called', async () => {
  const replica = await start([{ maximumCalls: 1 }]);
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  await whenCall(telephony, await place(replica, caller), 'answered');
  const id = await place(replica, caller);
  await telephony.hangUp({ id });
  expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'ORIGINATOR_CANCEL', duration: 0 });
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'ended']);
  expect(await waiting()).toEqual([]);
});

test('a call that waits for too long ends with a cause that says so', async () => {
  const replica = await start([{ maximumCalls: 1 }], { waitSeconds: 1 });
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  await whenCall(telephony, await place(replica, caller), 'answered');
  const id = await place(replica, caller);
  expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CIRCUIT_CONGESTION' });
  const { entries } = await telephony.getCallTimeline({ id });
  expect(entries.map(({ message }) => message)).toContain('waited too long for a carrier');
});

test('the time to ring begins when the call is placed, not while it waits', async () => {
  const replica = await start([{ maximumCalls: 1 }]);
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  const first = await place(replica, caller);
  await whenCall(telephony, first, 'answered');
  const id = await place(replica, caller, numbers.noAnswer);
  await stage.admin.query(
    `UPDATE telephony.calls SET started_at = started_at - interval '10 minutes' WHERE id = $1::uuid`,
    [id],
  );
  await telephony.hangUp({ id: first });
  await whenCall(telephony, id, 'ringing');
  const [{ left }] = (await stage.sql.query<{ left: number }>(
    'SELECT extract(epoch FROM due_at - placed_at)::float8 AS left FROM live_calls WHERE call_id = $1::uuid',
    [id],
  )) as [{ left: number }];
  expect(left).toBeGreaterThan(40);
  await telephony.hangUp({ id });
});

test('the line outlives the process: the next one goes on where it was', async () => {
  const before = await start([{ maximumCalls: 1 }]);
  const caller = newAccount(stage);
  const first = await place(before, caller);
  await whenCall(before.as(caller), first, 'answered');
  const second = await place(before, caller);
  await replicas.pop()!.stop();
  const after = await start([{ maximumCalls: 1 }]);
  expect(await waiting()).toEqual([second]);
  await after.as(caller).hangUp({ id: first });
  await whenCall(after.as(caller), second, 'answered');
});

test('calls per second: calls leave the line, and are dialled, with the distance that the carrier asks for', async () => {
  const replica = await start([{ callsPerSecond: 5 }]);
  const caller = newAccount(stage);
  const begun = Date.now();
  const ids = await placeMany(replica, caller, 8);
  await eventually(async () => (await waiting()).length === 0);
  const rows = await stage.sql.query<{ at: Date }>(
    'SELECT ready_at AS at FROM live_calls WHERE call_id = ANY ($1::uuid[]) ORDER BY ready_at',
    [ids],
  );
  const took = rows.at(-1)!.at.getTime() - begun;
  // The last one may leave a quarter of a second before its turn.
  expect(took).toBeGreaterThanOrEqual(7 * 200 - 260);
  const waits = await Promise.all(Array.from({ length: 10 }, () => takeDialTurn(stage.sql, 'paced', 1_000)));
  const sorted = waits.sort((one, another) => one - another);
  sorted.forEach((wait, index) => expect(Math.abs(wait - sorted[0]! - index * 1_000)).toBeLessThan(promised(500)));
});

test('the line is read through its indexes, however long it is', async () => {
  const caller = newAccount(stage);
  await stage.sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at, email,
       first_name, last_name, metadata, record)
     SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, $1, 1, 'd', 'UTC', 'outbound', 'queued', '1000', '551155500101', now(), '', '', '', '{}', false
     FROM generate_series(1, 20000) AS n`,
    [caller.accountId],
  );
  await stage.sql.query(
    `INSERT INTO live_calls (call_id, account_id, switch, ramal, due_at, line, turn, waits_until)
     SELECT id, account_id, 'none', '1000', 'infinity', 'full', row_number() OVER (), now() + interval '1 hour'
     FROM calls WHERE account_id = $1`,
    [caller.accountId],
  );
  await stage.admin.query('ANALYZE telephony.live_calls');
  const plan = async (sql: string) =>
    (await stage.sql.query<Record<string, string>>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`))
      .map((row) => Object.values(row)[0])
      .join('\n');
  const unplaced = await plan(
    `SELECT call_id FROM live_calls WHERE switch = 'none' AND placed_at IS NULL AND line IS NULL ORDER BY call_id LIMIT 100`,
  );
  expect(unplaced).toContain('live_calls_unplaced');
  expect(unplaced).not.toContain('Rows Removed');
  const last = await plan(`SELECT max(turn) FROM live_calls WHERE line = 'full' AND account_id = ${caller.accountId}`);
  expect(last).toContain('live_calls_line_accounts');
  const late = await plan(
    `SELECT call_id FROM live_calls WHERE line IS NOT NULL AND waits_until <= now() ORDER BY waits_until LIMIT 500`,
  );
  expect(late).toContain('live_calls_waits_until');
  await stage.sql.query('DELETE FROM live_calls');
});

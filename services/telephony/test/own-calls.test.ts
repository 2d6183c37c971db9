import { randomUUID } from 'node:crypto';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LiveCall } from '../src/domain/live-call';
import { createLeftCalls } from '../src/driving/left-calls';
import { createOwnCalls } from '../src/driving/own-calls';
import type { CallKey } from '../src/placing/call-writer';
import { requestHangup, takeUnplaced } from '../src/storage/live-calls';
import { releaseLease, takeLease } from '../src/storage/switch-leases';
import { lineUpAgain } from '../src/storage/waiting-calls';
import { callToPlace, onCommit, openPlacement, policy, useOwnDatabase } from './placing-stage';

const home = useOwnDatabase();
const switchName = 'own';

/** A replica with the lease of the switch; `over`: the database as its placement meets it. */
async function openReplica(over: Database = home.database, { maximumLiveCalls = 0 } = {}) {
  const holder = randomUUID();
  const term = { switchName, term: (await takeLease(home.database, { switchName, holder, seconds: 60 }))! };
  const placed: LiveCall[] = [];
  const poked: (string | undefined)[] = [];
  const linedUp: string[] = [];
  let isDriving = true;
  const now = () => new Date();
  const left = createLeftCalls({ database: over, onLinedUp: () => void linedUp.push(switchName), now });
  const own = createOwnCalls({
    left,
    term,
    isDriving: () => isDriving,
    place: (call) => void placed.push(call),
    now,
  });
  const placement = openPlacement({
    database: over,
    loads: { choose: () => switchName },
    takers: new Map([[switchName, own.take]]),
    maximumLiveCalls,
    onPlaced: (name) => void poked.push(name),
  });
  return {
    term,
    own,
    left,
    placed,
    poked,
    linedUp,
    place: (key?: CallKey) =>
      placement.place(callToPlace({ metadata: '{"deal":"7"}', called: '(11) 5555-00101' }), { key }),
    lookForCalls: () =>
      takeUnplaced(home.database, { by: term, now: new Date(), limit: 10, ringSeconds: policy.ringSeconds }),
    stopDriving: () => void (isDriving = false),
    loseLease: async () => {
      await releaseLease(home.database, { switchName, holder });
      isDriving = false;
    },
    /** The lease is lost, and this replica does not know it yet. */
    loseLeaseUnnoticed: () => releaseLease(home.database, { switchName, holder }),
  };
}

const keyNamed = (name: string): CallKey => ({
  name: Buffer.from(name),
  fingerprint: Buffer.from('fingerprint'),
  encodeResponse: () => new Uint8Array(),
});

afterEach(async () => {
  await home.database.query('DELETE FROM live_calls');
  await home.database.query('DELETE FROM switch_leases');
});

const meanwhile = (happen: () => unknown): Database => onCommit(home.database, happen);

/** A driver has to look for the call, and finds it. */
async function expectFound(replica: Awaited<ReturnType<typeof openReplica>>, id: string): Promise<void> {
  expect(replica.placed).toEqual([]);
  expect(replica.poked).toEqual([switchName]);
  await replica.left.giveBack();
  expect((await replica.lookForCalls()).map((call) => call.id)).toEqual([id]);
}

test('a call for a switch that this replica drives is on it at once, and nobody else finds it', async () => {
  const replica = await openReplica();
  const call = await replica.place();
  expect(replica.placed.map(({ id }) => id)).toEqual([call.id]);
  expect(replica.poked).toEqual([]);
  expect(await replica.lookForCalls()).toEqual([]);
});

test('its driver knows of it what it would have found in the database', async () => {
  const replica = await openReplica();
  await replica.place();
  await replica.own.leave(replica.placed);
  const [found] = await replica.lookForCalls();
  const [known] = replica.placed;
  expect(found).toEqual({ ...known, placedAt: expect.any(Date), attempt: 100 });
});

test('a driver that was left in the meantime gives the call to whoever drives the switch', async () => {
  const replica = await openReplica(meanwhile(() => replica.stopDriving()));
  const { id } = await replica.place();
  await expectFound(replica, id);
});

test('a call that is written after the lease was lost is found by the next driver', async () => {
  const former = await openReplica();
  await former.loseLeaseUnnoticed();
  const { id } = await former.place();
  expect(former.placed).toEqual([]);
  const next = await openReplica();
  expect((await next.lookForCalls()).map((call) => call.id)).toEqual([id]);
});

const linesOf = () =>
  home.database.query(
    'SELECT call_id AS id, switch, placed_at AS "placedAt", attempt FROM live_calls ORDER BY call_id',
  );
const inLine = (id: string) => ({ id, switch: null, placedAt: null, attempt: 100 });

test('a call that is committed when the next driver has compared its calls is placed all the same', async () => {
  const former = await openReplica(
    meanwhile(async () => {
      await former.loseLease();
      await openReplica();
    }),
  );
  const { id } = await former.place();
  expect(former.placed).toEqual([]);
  await former.left.giveBack();
  expect(await linesOf()).toEqual([inLine(id)]);
  const noted = await home.database.query('SELECT message FROM call_timeline WHERE call_id = $1 AND kind = $2', [
    id,
    'leg',
  ]);
  expect(noted).toEqual([{ message: 'the switch has changed hands, the call is back in line' }]);
  expect(former.linedUp).toEqual([switchName]);
});

test('a call with a key that is committed when the lease has gone to another replica is placed all the same', async () => {
  const former = await openReplica(
    meanwhile(async () => {
      await former.loseLease();
      await openReplica();
    }),
  );
  const { id } = await former.place(keyNamed('own-calls-late'));
  expect(former.placed).toEqual([]);
  await former.left.giveBack();
  expect(await linesOf()).toEqual([inLine(id)]);
});

test('a call that is committed between two looks for it stays with the driver of its switch', async () => {
  let isHidden = false;
  const replica = await openReplica({
    ...home.database,
    query: (text, values, options) =>
      isHidden && options?.name === 'return-unplaced'
        ? Promise.resolve([])
        : home.database.query(text, values, options),
  });
  const { id } = await replica.place();
  isHidden = true;
  await replica.own.leave(replica.placed);
  expect(await linesOf()).toEqual([expect.objectContaining({ id, switch: switchName })]);
});

test('a call that both drivers miss is back in line once, whoever is first', async () => {
  const former = await openReplica();
  const [one, other] = [await former.place(), await former.place()];
  await former.loseLease();
  const next = await openReplica();
  const lineUp = (callId: string) =>
    lineUpAgain(home.database, { callId, placing: 0, from: switchName, at: new Date(), by: next.term });
  expect(await lineUp(one.id)).toBe(true);
  await former.own.leave(former.placed);
  expect(await lineUp(other.id)).toBe(false);
  expect(await linesOf()).toEqual([one.id, other.id].sort().map(inLine));
});

test('who has read a call before it was given back does not line it up', async () => {
  const { own, placed, place, lookForCalls, term } = await openReplica();
  const { id } = await place();
  const lineUp = () =>
    lineUpAgain(home.database, { callId: id, placing: 0, from: switchName, at: new Date(), by: term });
  await own.leave(placed);
  expect(await lineUp()).toBe(false);
  expect(await lookForCalls()).toHaveLength(1);
  expect(await lineUp()).toBe(false);
});

test('a call that the next driver has taken again stays with it', async () => {
  const former = await openReplica();
  const { id } = await former.place();
  await former.loseLease();
  const next = await openReplica();
  await home.database.query('UPDATE live_calls SET placed_at = NULL');
  expect(await next.lookForCalls()).toHaveLength(1);
  await former.own.leave(former.placed);
  expect(await linesOf()).toEqual([{ id, switch: switchName, placedAt: expect.any(Date), attempt: 0 }]);
});

test('a call that somebody has hung up meanwhile is not placed any more', async () => {
  const former = await openReplica();
  const { id } = await former.place();
  await requestHangup(home.database, { accountId: 7, id, now: new Date() });
  await former.loseLease();
  await openReplica();
  await former.own.leave(former.placed);
  expect(await linesOf()).toEqual([expect.objectContaining({ id, switch: switchName, attempt: 0 })]);
});

test('what has been taken again since is not given back', async () => {
  const replica = await openReplica();
  await replica.place();
  await replica.own.leave(replica.placed);
  expect(await replica.lookForCalls()).toHaveLength(1);
  await replica.own.leave(replica.placed);
  expect(await replica.lookForCalls()).toEqual([]);
});

test('a call with an idempotency key is on its switch as soon as it is committed, its repetition is not', async () => {
  const replica = await openReplica();
  const repeated = replica.place(keyNamed('own-calls'));
  const [{ id }, again, other] = await Promise.allSettled([
    repeated,
    replica.place(keyNamed('own-calls')),
    replica.place(),
  ]).then(
    ([first, second, third]) =>
      [
        (first as PromiseFulfilledResult<{ id: string }>).value,
        second,
        (third as PromiseFulfilledResult<{ id: string }>).value,
      ] as const,
  );
  expect(again.status).toBe('rejected');
  expect(replica.placed.map((call) => call.id)).toEqual([id, other.id]);
  expect(await replica.lookForCalls()).toEqual([]);
});

test('a call whose transaction fails is on no switch', async () => {
  const failing: Database = {
    ...home.database,
    transaction: (work) =>
      home.database.transaction(async (tx) => {
        await work(tx);
        throw new Error('disk full');
      }),
  };
  const replica = await openReplica(failing);
  await expect(replica.place(keyNamed('own-calls-failing'))).rejects.toThrow('disk full');
  expect(replica.placed).toEqual([]);
  expect(await linesOf()).toEqual([]);
  await replica.own.idle();
});

test('a call of an account that is near its limit is on its switch at once, too', async () => {
  const replica = await openReplica(home.database, { maximumLiveCalls: 2 });
  const { id } = await replica.place();
  expect(replica.placed.map((call) => call.id)).toEqual([id]);
});

const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

test('a call of which nobody knows whether it was written is found if it was', async () => {
  const replica = await openReplica(meanwhile(() => Promise.reject(lost())));
  const { id } = await replica.place();
  await expectFound(replica, id);
});

test('calls written together whose confirmation got lost are found, each once', async () => {
  let losses = 1;
  const replica = await openReplica(meanwhile(() => (losses-- > 0 ? Promise.reject(lost()) : undefined)));
  const calls = await Promise.all([replica.place(), replica.place(), replica.place()]);
  expect(replica.placed).toEqual([]);
  await replica.left.giveBack();
  expect((await replica.lookForCalls()).map(({ id }) => id)).toEqual(calls.map(({ id }) => id).sort());
});

test('a call that is committed after all, later than anybody waited for, is found', async () => {
  let commit: (() => Promise<unknown>) | undefined;
  const late: Database['query'] = (text, values, options) => {
    if (options?.name !== 'insert-calls') return home.database.query(text, values, options);
    commit = () => home.database.query(text, values, options);
    return Promise.reject(lost());
  };
  const replica = await openReplica({ ...home.database, query: late });
  await expect(replica.place()).rejects.toThrow('ECONNRESET');
  await replica.left.giveBack();
  await commit!();
  expect(await replica.lookForCalls()).toEqual([]);
  await replica.left.giveBack();
  expect(await replica.lookForCalls()).toHaveLength(1);
});

test('calls are compared with the switch only when none is being written', async () => {
  const order: string[] = [];
  const replica = await openReplica(
    meanwhile(async () => {
      void replica.own.idle().then(() => order.push('compared'));
      await home.database.query('SELECT 1');
      order.push('committed');
    }),
  );
  await replica.place();
  await replica.own.idle();
  expect(order).toEqual(['committed', 'compared']);
});

test('without the switch no call is taken', async () => {
  const replica = await openReplica();
  replica.stopDriving();
  const { id } = await replica.place();
  expect(replica.placed).toEqual([]);
  expect((await replica.lookForCalls()).map((call) => call.id)).toEqual([id]);
});

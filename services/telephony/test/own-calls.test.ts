import { randomUUID } from 'node:crypto';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LiveCall } from '../src/domain/live-call';
import { createOwnCalls } from '../src/driving/own-calls';
import type { CallKey } from '../src/placing/call-writer';
import { takeUnplaced } from '../src/storage/live-calls';
import { releaseLease, takeLease } from '../src/storage/switch-leases';
import { callToPlace, onCommit, openPlacement, policy, useOwnDatabase } from './placing-stage';

const home = useOwnDatabase();
const switchName = 'own';

/** A replica with the lease of the switch; `over`: the database as its placement meets it. */
async function openReplica(over: Database = home.database) {
  const holder = randomUUID();
  const term = { switchName, term: (await takeLease(home.database, { switchName, holder, seconds: 60 }))! };
  const placed: LiveCall[] = [];
  const poked: (string | undefined)[] = [];
  let isDriving = true;
  const own = createOwnCalls({
    database: home.database,
    term,
    isDriving: () => isDriving,
    place: (call) => void placed.push(call),
    now: () => new Date(),
  });
  const placement = openPlacement({
    database: over,
    loads: { choose: () => switchName },
    takers: new Map([[switchName, own.take]]),
    onPlaced: (name) => void poked.push(name),
  });
  return {
    own,
    placed,
    poked,
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

afterEach(async () => {
  await home.database.query('DELETE FROM live_calls');
  await home.database.query('DELETE FROM switch_leases');
});

const meanwhile = (happen: () => unknown): Database => onCommit(home.database, happen);

/** A driver has to look for the call, and finds it. */
async function expectFound(replica: Awaited<ReturnType<typeof openReplica>>, id: string): Promise<void> {
  expect(replica.placed).toEqual([]);
  expect(replica.poked).toEqual([switchName]);
  await replica.own.returnLeft();
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
  expect(found).toEqual({ ...known, placedAt: expect.any(Date) });
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

test('what the former driver gives back late is not placed twice', async () => {
  const former = await openReplica();
  await former.place();
  await former.loseLease();
  const next = await openReplica();
  await former.own.leave(former.placed);
  expect(await next.lookForCalls()).toEqual([]);
});

test('what has been taken again since is not given back', async () => {
  const replica = await openReplica();
  await replica.place();
  await replica.own.leave(replica.placed);
  expect(await replica.lookForCalls()).toHaveLength(1);
  await replica.own.leave(replica.placed);
  expect(await replica.lookForCalls()).toEqual([]);
});

test('a call with an idempotency key is left to be found: its transaction may commit when another replica drives', async () => {
  const replica = await openReplica();
  const key: CallKey = {
    name: Buffer.from('own-calls'),
    fingerprint: Buffer.from('fingerprint'),
    encodeResponse: () => new Uint8Array(),
  };
  const { id } = await replica.place(key);
  await expectFound(replica, id);
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
  await replica.own.returnLeft();
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
  await replica.own.returnLeft();
  await commit!();
  expect(await replica.lookForCalls()).toEqual([]);
  await replica.own.returnLeft();
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

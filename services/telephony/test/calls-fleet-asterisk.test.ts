import { randomUUID } from 'node:crypto';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import { whenCall } from './stage';
import type { Telephony } from './stage';
import { SwitchFleet } from './support/switch-fleet';

/** Two replicas of telephony drive three Asterisk nodes. Nodes and replicas die, freeze and drain. */
let fleet: SwitchFleet;

beforeAll(async () => {
  fleet = await SwitchFleet.open({ nodes: 3, replicas: 2, capacity: 3 });
});

afterAll(() => fleet?.close());

afterEach(() => {
  fleet.pickUp = 'answer';
});

const telephony = () => fleet.replicas[0]!.as(fleet.caller);
const operator = () => fleet.replicas[0]!.as(Caller.fromPartial({ operator: { uuid: randomUUID(), name: 'Rosa' } }));

/** Fails at once, with its history, if the call ends instead. */
async function whenTalking(id: string): Promise<void> {
  const status = await eventually(async () => {
    const { call } = await telephony().getCall({ id });
    return ['answered', 'ended'].includes(call!.status) && call!.status;
  });
  expect([status, ...(status === 'ended' ? await messagesOf(id) : [])]).toEqual(['answered']);
}

async function talk(count: number) {
  const calls = await Promise.all(Array.from({ length: count }, () => fleet.place()));
  await Promise.all(calls.map(({ id }) => whenTalking(id)));
  return Promise.all(calls.map(async (call) => ({ ...call, node: await fleet.nodeWith(call.id) })));
}

async function hangUpAll(ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => telephony().hangUp({ id })));
  await Promise.all(ids.map((id) => whenCall(telephony(), id, 'ended')));
}

const messagesOf = async (id: string): Promise<string[]> =>
  (await telephony().getCallTimeline({ id })).entries.map(({ message, detail }) => `${message} ${detail ?? ''}`);

test('leases are spread over the replicas, calls over the nodes, and no node gets more than its capacity', async () => {
  await eventually(async () => {
    const holders = [...(await fleet.holders()).values()];
    return holders.length === 3 && new Set(holders).size === 2;
  });
  const calls = await talk(9);
  for (const { name, ari } of fleet.nodes) {
    expect(calls.filter(({ node }) => node.name === name)).toHaveLength(3);
    // Two legs of each call, and the channel that records it.
    const legs = (await ari.channels()).filter(({ name: channel }) => channel.startsWith('PJSIP/'));
    expect(legs).toHaveLength(6);
  }
  const late = await fleet.place();
  await eventually(
    async () => (await fleet.stage.sql.query('SELECT FROM live_calls WHERE switch IS NULL')).length === 1,
  );
  expect((await telephony().getCall({ id: late.id })).call!.status).toBe('queued');
  await hangUpAll([calls[4]!.id]);
  await whenCall(telephony(), late.id, 'answered');
  expect((await fleet.nodeWith(late.id)).name).toBe(calls[4]!.node.name);
  await hangUpAll([late.id, ...calls.filter((_, nth) => nth !== 4).map(({ id }) => id)]);
});

test('calls that wait for a switch are told their place, and accounts take turns', async () => {
  const calls = await talk(9);
  const many = await Promise.all(Array.from({ length: 50 }, () => fleet.place()));
  const late = await fleet.addAccount();
  const single = await fleet.place(fleet.newNumber(), late);
  const lateTelephony = fleet.replicas[0]!.as(late);
  const whenTold = (of: Telephony, id: string) =>
    eventually(async () => {
      const { entries } = await of.getCallTimeline({ id });
      const told = entries.find(({ message }) => message === 'waits for a switch');
      return told && (JSON.parse(told.detail!) as { place: number }).place;
    });
  const placeTold = await whenTold(lateTelephony, single.id);
  const places = await Promise.all(many.map(({ id }) => whenTold(telephony(), id)));
  expect(Math.max(...places)).toBeGreaterThan(48);
  // Each replica may have let a call of the other account join at the same moment.
  expect(placeTold).toBeLessThanOrEqual(3);
  await hangUpAll(calls.slice(0, placeTold).map(({ id }) => id));
  await whenCall(lateTelephony, single.id, 'answered');
  const { entries } = await lateTelephony.getCallTimeline({ id: single.id });
  expect(entries.map(({ message }) => message)).toContain('a switch has room');
  const live = await telephony().listLiveCalls({});
  expect(live.calls.filter(({ status }) => status === 'queued').length).toBeGreaterThanOrEqual(47);
  await lateTelephony.hangUp({ id: single.id });
  await whenCall(lateTelephony, single.id, 'ended');
  await hangUpAll([...many, ...calls.slice(placeTold)].map(({ id }) => id));
});

test('a call that waits in line can be cancelled', async () => {
  const calls = await talk(9);
  const waiting = await fleet.place();
  await telephony().hangUp({ id: waiting.id });
  expect(await whenCall(telephony(), waiting.id, 'ended')).toMatchObject({ hangup_cause: 'ORIGINATOR_CANCEL' });
  expect(fleet.phones.timesInvited({ caller: waiting.called })).toBe(0);
  await hangUpAll(calls.map(({ id }) => id));
});

test('a node that drains keeps its calls and gets no new ones, whether it or an operator says so', async () => {
  // One call on each node: chance may put two of three on the same.
  const full = await talk(9);
  const calls = fleet.nodes.map(({ name }) => full.find(({ node }) => node.name === name)!);
  await hangUpAll(full.filter((call) => !calls.includes(call)).map(({ id }) => id));
  const [draining, held] = [fleet.nodeOf('asterisk'), fleet.nodeOf('node-2')];
  await draining.ari.setGlobalVariable('SABIA_DRAINING', '1');
  await operator().setSwitchState({ name: held.name, state: 'draining' });
  await eventually(async () => (await fleet.states()).join() === 'draining,draining,active');
  const later = await talk(2);
  expect(later.map(({ node }) => node.name)).toEqual(['node-3', 'node-3']);
  for (const { id } of calls) expect((await telephony().getCall({ id })).call!.status).toBe('answered');
  await draining.ari.setGlobalVariable('SABIA_DRAINING', '');
  await operator().setSwitchState({ name: held.name, state: 'active' });
  await eventually(async () => (await fleet.states()).every((state) => state === 'active'));
  await expect(operator().setSwitchState({ name: 'node-9', state: 'active' })).rejects.toThrow();
  await hangUpAll([...calls, ...later].map(({ id }) => id));
});

test('a replica that is killed: the other one drives its nodes within the lease, and no phone is called twice', async () => {
  const calls = await talk(3);
  const before = await fleet.holders();
  const victim = fleet.replicas.pop()!;
  await victim.kill();
  await eventually(
    async () => {
      const holders = await fleet.holders();
      return holders.size === 3 && new Set(holders.values()).size === 1;
    },
    { timeoutMs: promised(10_000) },
  );
  expect(new Set(before.values()).size).toBe(2);
  const later = await talk(3);
  for (const { called } of [...calls, ...later]) expect(fleet.phones.timesInvited({ caller: called })).toBe(1);
  await hangUpAll([...calls, ...later].map(({ id }) => id));
  await fleet.addReplica();
});

test('replicas are killed while calls wait: another one places each of them once, in its turn', async () => {
  const [talking, ...others] = [await fleet.place(fleet.newNarrowNumber()), ...(await talk(8))];
  await whenTalking(talking.id);
  const forCarrier = [await fleet.place(fleet.newNarrowNumber()), await fleet.place(fleet.newNarrowNumber())];
  const forSwitch = [await fleet.place(), await fleet.place(), await fleet.place()];
  const waiting = async () => {
    const rows = await fleet.stage.sql.query<{ id: string }>(
      'SELECT call_id AS id FROM live_calls WHERE line IS NOT NULL ORDER BY line, turn, call_id',
    );
    return rows.map(({ id }) => id);
  };
  const whenLeft = async (...left: { id: string }[]) => {
    await eventually(async () => (await waiting()).join() === left.map(({ id }) => id).join());
  };
  await whenLeft(...forSwitch, ...forCarrier);

  await fleet.replicas.pop()!.kill();
  await hangUpAll([others[0]!.id]);
  await whenTalking(forSwitch[0]!.id);
  await whenLeft(forSwitch[1]!, forSwitch[2]!, ...forCarrier);

  await fleet.replicas.pop()!.kill();
  await fleet.addReplica();
  await whenLeft(forSwitch[1]!, forSwitch[2]!, ...forCarrier);
  await hangUpAll([others[1]!.id]);
  await whenTalking(forSwitch[1]!.id);
  // Its end makes room on the switch and on the carrier: who has had neither yet waits for a switch next.
  await hangUpAll([talking.id]);
  await whenTalking(forSwitch[2]!.id);
  await whenLeft(...forCarrier);
  await hangUpAll([others[2]!.id]);
  await whenTalking(forCarrier[0]!.id);
  await hangUpAll([forCarrier[0]!.id]);
  await whenTalking(forCarrier[1]!.id);

  for (const { called } of [...forSwitch, ...forCarrier]) {
    expect(fleet.phones.timesInvited({ caller: called })).toBe(1);
    expect(fleet.carrier.timesInvited({ called })).toBe(1);
  }
  await hangUpAll([forCarrier[1]!, ...forSwitch, ...others.slice(3)].map(({ id }) => id));
  await fleet.addReplica();
});

test('a node is killed while a phone rings: the call is placed again under its id, and the phone rings once at a time', async () => {
  const victim = fleet.nodeOf('node-3');
  for (const name of ['asterisk', 'node-2']) await operator().setSwitchState({ name, state: 'draining' });
  await eventually(async () => (await fleet.states()).join() === 'draining,draining,active');
  const beyond = await fleet.place(fleet.newRingingNumber());
  await eventually(() => fleet.carrier.timesInvited({ called: beyond.called }) === 1);
  fleet.pickUp = 'ring';
  const { id, called } = await fleet.place();
  const first = await fleet.atPhone(called);
  expect(await fleet.nodeWith(id)).toBe(victim);
  for (const name of ['asterisk', 'node-2']) await operator().setSwitchState({ name, state: 'active' });
  await eventually(async () => (await fleet.states()).every((state) => state === 'active'));
  await victim.asterisk.kill();
  const second = await fleet.atPhone(called, 1);
  expect(first.state).toBe('ended');
  expect((await fleet.nodeWith(id)).name).not.toBe(victim.name);
  // What it let ring beyond a carrier is placed again, too, after the carrier was told to stop.
  fleet.phones.answer(await fleet.atPhone(beyond.called, 1));
  const [asked, askedAgain] = [await fleet.atCarrier(beyond.called), await fleet.atCarrier(beyond.called, 1)];
  expect(asked.endedBy).toBe('CANCEL');
  expect(asked.endedAt).toBeLessThan(askedAgain.invitedAt);
  await telephony().hangUp({ id: beyond.id });
  expect(await whenCall(telephony(), beyond.id, 'ended')).toMatchObject({ hangup_cause: 'ORIGINATOR_CANCEL' });
  await eventually(() => askedAgain.endedBy === 'CANCEL');
  // The edges look for calls to end as before, and leave this one alone.
  for (let looks = 0; looks < 3; looks += 1) await fleet.whenEdgeLooks();
  expect(second.state).toBe('ringing');
  fleet.phones.answer(second);
  await whenTalking(id);
  expect(fleet.phones.timesInvited({ caller: called })).toBe(2);
  expect(fleet.carrier.timesInvited({ called })).toBe(1);
  await hangUpAll([id]);
  await victim.asterisk.start();
  await eventually(async () => (await fleet.states()).every((state) => state === 'active'));
});

test('a node wakes up with requests for calls that were placed elsewhere meanwhile: no phone rings again', async () => {
  const victim = fleet.nodeOf('node-3');
  const others = ['asterisk', 'node-2'];
  for (const name of others) await operator().setSwitchState({ name, state: 'draining' });
  await eventually(async () => (await fleet.states()).join() === 'draining,draining,active');
  const { calls, late } = await placeOnFrozen(victim);
  for (const name of others) await operator().setSwitchState({ name, state: 'active' });
  await Promise.all(calls.map(({ id }) => whenTalking(id)));
  victim.asterisk.resume();
  await eventually(async () => (await fleet.states()).every((state) => state === 'active'));
  // It has done what it was asked for, and has nothing left of it.
  await eventually(async () => {
    const rows = await fleet.stage.sql.query(
      `SELECT FROM sip.leg_events WHERE eventtype = 'HANGUP' AND uniqueid = ANY ($1::text[])`,
      [calls.map(({ id }) => `${id}-a`)],
    );
    return rows.length === calls.length;
  });
  await eventually(async () => (await victim.ari.channels()).length === 0);
  for (const { called } of calls) {
    expect(fleet.phones.timesInvited({ caller: called })).toBe(1);
    expect(fleet.carrier.timesInvited({ called })).toBe(1);
  }
  await Promise.all(late.map(({ id }) => whenTalking(id)));
  await hangUpAll([...calls, ...late].map(({ id }) => id));
});

/**
 * Freezes the only node that takes calls, and returns those that telephony gave to it before it noticed: what the driver asks the node
 * for lies in its sockets. A slow machine may need several tries for one; `late`: those of the last try that came too late.
 */
async function placeOnFrozen(victim: ReturnType<typeof fleet.nodeOf>) {
  for (;;) {
    victim.asterisk.pause();
    const placed = await Promise.all(Array.from({ length: 3 }, () => fleet.place()));
    const given = await eventually(async () => {
      const rows = await fleet.stage.sql.query<{ id: string }>(
        'SELECT call_id AS id FROM live_calls WHERE switch = $1 AND placed_at IS NOT NULL AND call_id = ANY ($2::uuid[])',
        [victim.name, placed.map(({ id }) => id)],
      );
      const isNoticed = (await fleet.states())[2] !== 'active';
      return (rows.length === placed.length || isNoticed) && new Set(rows.map(({ id }) => id));
    });
    const calls = placed.filter(({ id }) => given.has(id));
    if (calls.length > 0) return { calls, late: placed.filter(({ id }) => !given.has(id)) };
    victim.asterisk.resume();
    // They would fill the node.
    await Promise.all(placed.map(({ id }) => whenTalking(id)));
    await hangUpAll(placed.map(({ id }) => id));
  }
}

/** An extension that rings to take a leg of the call over. */
async function ringToTakeOver(id: string, to: string) {
  await fleet.addColleague(to);
  fleet.pickUp = 'ring';
  await telephony().transferCall({ id, to });
  const leg = await eventually(() => [...fleet.phones.calls.values()].find(({ called }) => called === to));
  fleet.pickUp = 'answer';
  return leg;
}

test.each([
  ['killed', 'kill'],
  ['frozen for 20 s', 'pause'],
] as const)(
  'a node is %s: its calls end when they were last seen, others go on, new ones go elsewhere',
  async (_how, way) => {
    const calls = await talk(6);
    const victim = calls[0]!.node;
    const lost = calls.filter(({ node }) => node === victim);
    const kept = calls.filter(({ node }) => node !== victim);
    const takeover = await ringToTakeOver(lost[0]!.id, way === 'kill' ? '1001' : '1002');
    const lostAt = Date.now();
    if (way === 'kill') await victim.asterisk.kill();
    else victim.asterisk.pause();
    // New calls at once: none is refused, and one that was given to the lost node goes to another five seconds later.
    const next = await fleet.place();
    await whenTalking(next.id);
    expect(Date.now() - lostAt).toBeLessThan(promised(15_000));
    expect((await fleet.nodeWith(next.id)).name).not.toBe(victim.name);
    for (const { id } of lost) {
      const call = await whenCall(telephony(), id, 'ended');
      expect(call.hangup_cause).toBe('NETWORK_OUT_OF_ORDER');
      expect(Math.abs(call.ended_at!.getTime() - lostAt)).toBeLessThan(promised(3_000));
      expect(await fleet.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
    }
    expect(Date.now() - lostAt).toBeLessThan(promised(30_000));
    await eventually(() => takeover.endedBy === 'CANCEL');
    for (const { id } of kept) expect((await telephony().getCall({ id })).call!.status).toBe('answered');
    await eventually(async () => (await fleet.states()).includes('gone'));
    if (way === 'kill') await victim.asterisk.start();
    else victim.asterisk.resume();
    await eventually(async () => (await fleet.states()).every((state) => state === 'active'));
    // What the node still had of the calls is ended there.
    await eventually(async () => (await victim.ari.channels()).length === 0);
    expect(fleet.phones.timesInvited(takeover)).toBe(1);
    // The audio up to the loss is fetched once the node is back, and marked as not whole.
    await eventually(async () =>
      (await messagesOf(lost[0]!.id)).some((message) => message.startsWith('recording stored')),
    );
    await hangUpAll([...kept, next].map(({ id }) => id));
  },
);

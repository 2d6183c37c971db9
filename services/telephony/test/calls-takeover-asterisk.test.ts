import { eventually } from '@sabia/testkit/eventually';
import { whenCall } from './stage';
import { ReplicaPair } from './support/replica-pair';

/** The replica that drives the calls dies or is frozen, and the other takes over. */
let pair: ReplicaPair;

beforeAll(async () => {
  pair = await ReplicaPair.open();
});

afterAll(() => pair?.close());

afterEach(() => pair.restore());

test('the driving replica is killed in the middle of a wave: no party is called twice, and every call ends once', async () => {
  await pair.driver();
  const wave = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const number = pair.newNumber();
      return { number, id: await pair.place(pair.replicas[index % 2]!, number) };
    }),
  );
  const successor = await pair.killDriver();
  for (const { id, number } of wave) {
    const call = await eventually(async () => {
      const { call: latest } = await successor.as(pair.caller).getCall({ id });
      if (!['answered', 'ended'].includes(latest!.status)) {
        const { entries } = await successor.as(pair.caller).getCallTimeline({ id });
        throw new Error(`the call is ${latest!.status}: ${entries.map(({ message }) => message).join(', ')}`);
      }
      return latest!;
    });
    if (call.status === 'answered') await successor.as(pair.caller).hangUp({ id });
    // The new driver cannot know whether the call reached the switch or its callee, so it does not try again.
    else expect(['NETWORK_OUT_OF_ORDER', 'NORMAL_TEMPORARY_FAILURE']).toContain(call.hangup_cause);
    await whenCall(successor.as(pair.caller), id, 'ended');
    expect((await pair.stage.eventTypesOf(id)).filter((type) => type === 'ended')).toHaveLength(1);
    expect(pair.phones.timesInvited({ caller: number })).toBeLessThanOrEqual(1);
    expect(pair.carrier.timesInvited({ called: number })).toBeLessThanOrEqual(1);
  }
  await eventually(() => pair.phones.talking.length === 0 && pair.carrier.talking.length === 0);
  expect(await pair.requests.channels()).toEqual([]);
});

test('the driving replica stops in the middle of a wave: every call goes on', async () => {
  // A slow machine needs more than a second to leave.
  const leaving = await pair.beginAnew({ leaseSeconds: 5 });
  try {
    const staying = pair.replicas.find((replica) => replica !== leaving)!;
    const wave = await Promise.all(Array.from({ length: 20 }, () => pair.place(staying, pair.newNumber())));
    const successor = await pair.stopDriver();
    for (const id of wave) {
      const status = await eventually(async () => {
        const { call } = await successor.as(pair.caller).getCall({ id });
        return ['answered', 'ended'].includes(call!.status) && `${call!.status} ${call!.hangup_cause ?? ''}`;
      });
      expect(status).toBe('answered ');
    }
    await Promise.all(wave.map((id) => successor.as(pair.caller).hangUp({ id })));
    for (const id of wave) await whenCall(successor.as(pair.caller), id, 'ended');
  } finally {
    await pair.beginAnew();
  }
});

test('a carrier that is slow to answer: the replica that takes over waits instead of calling again', async () => {
  const number = pair.newNumber();
  pair.manners.set(number, 'silent');
  const id = await pair.place(await pair.driver(), number);
  const far = await pair.atCarrier(number);
  const successor = await pair.killDriver();
  await eventually(async () => (await pair.stage.sql.query('SELECT FROM switch_leases')).length === 1);
  // A replica that places a new call has looked at the calls it took over.
  const other = pair.newNumber();
  const otherId = await pair.place(successor, other);
  await whenCall(successor.as(pair.caller), otherId, 'answered');
  pair.carrier.answer(far);
  await whenCall(successor.as(pair.caller), id, 'answered');
  expect(pair.carrier.timesInvited({ called: number })).toBe(1);
  await Promise.all([id, otherId].map((each) => successor.as(pair.caller).hangUp({ id: each })));
  await whenCall(successor.as(pair.caller), id, 'ended');
  expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
});

test('a carrier that refuses while no replica listens is not asked again, nor is another carrier', async () => {
  const number = pair.newNumber();
  pair.manners.set(number, 'ring');
  const victim = await pair.driver();
  const id = await pair.place(victim, number);
  const far = await pair.atCarrier(number);
  await eventually(async () => {
    const { entries } = await victim.as(pair.caller).getCallTimeline({ id });
    return entries.some(({ message }) => message === 'destination rings');
  });
  await victim.kill();
  pair.carrier.refuse(far);
  const successor = await pair.killDriver();
  expect(await whenCall(successor.as(pair.caller), id, 'ended')).toMatchObject({ duration: 0 });
  expect(pair.carrier.timesInvited({ called: number })).toBe(1);
  expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'ended']);
  await eventually(() => pair.phones.talking.length === 0);
});

test('a replica that was frozen until its lease expired places no more calls', async () => {
  const sleeper = await pair.driver();
  sleeper.pause();
  const successor = await pair.successorOf(sleeper);
  const wave = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const number = pair.newNumber();
      return { number, id: await pair.place(successor, number) };
    }),
  );
  sleeper.resume();
  for (const { id, number } of wave) {
    await whenCall(successor.as(pair.caller), id, 'answered');
    await successor.as(pair.caller).hangUp({ id });
    await whenCall(successor.as(pair.caller), id, 'ended');
    expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
    expect(pair.phones.timesInvited({ caller: number })).toBe(1);
    expect(pair.carrier.timesInvited({ called: number })).toBe(1);
  }
  await eventually(() => !sleeper.drives);
});

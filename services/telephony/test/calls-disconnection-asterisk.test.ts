import { eventually } from '@sabia/testkit/eventually';
import { whenCall } from './stage';
import { ReplicaPair } from './support/replica-pair';
import type { ReplicaProcess } from './support/replica-process';

/** A connection is lost: to a callee, of the events, or between replicas and Asterisk. */
let pair: ReplicaPair;

beforeAll(async () => {
  pair = await ReplicaPair.open();
});

afterAll(() => pair?.close());

afterEach(() => pair.restore());

test('a callee that vanishes without a BYE is noticed by its silence', async () => {
  await pair.declareTrunk({ rtp_timeout: '2' });
  try {
    const { id } = await pair.talkTo(pair.newNumber());
    expect(await whenCall((await pair.driver()).as(pair.caller), id, 'ended')).toMatchObject({
      hangup_cause: 'RECOVERY_ON_TIMER_EXPIRE',
    });
  } finally {
    await pair.declareTrunk({ rtp_timeout: '0' });
  }
});

test('the stream of events breaks in the middle of a wave: every call goes on, and no party is called twice', async () => {
  pair.pickUp = 'ring';
  const holder = await pair.driver();
  const wave = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const number = pair.newNumber();
      return { number, id: await pair.place(holder, number) };
    }),
  );
  const ringing = await Promise.all(wave.map(({ number }) => pair.atPhone(number)));
  // Another client takes over the application; the driving replica gets no events until it has taken it back.
  const intruder = pair.openAri();
  intruder.start();
  await eventually(() => intruder.isConnected);
  ringing.slice(0, 7).forEach((call) => pair.phones.answer(call));
  await eventually(() => !intruder.isConnected);
  // The rest answer while the replica reads the state of the switch.
  ringing.slice(7).forEach((call) => pair.phones.answer(call));
  for (const { id, number } of wave) {
    await whenCall(holder.as(pair.caller), id, 'answered');
    expect(pair.phones.timesInvited({ caller: number })).toBe(1);
    expect(pair.carrier.timesInvited({ called: number })).toBe(1);
  }
  await Promise.all(wave.map(({ id }) => holder.as(pair.caller).hangUp({ id })));
  for (const { id } of wave) await whenCall(holder.as(pair.caller), id, 'ended');
  await intruder.stop();
});

/** Answered calls. */
async function conversations(count: number, replica: ReplicaProcess): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => pair.place(replica, pair.newNumber())));
  for (const id of ids) await whenCall(replica.as(pair.caller), id, 'answered');
  return ids;
}

/** Each call is still answered, can be hung up, and ends once. */
async function expectToGoOn(ids: string[], replica: ReplicaProcess): Promise<void> {
  for (const id of ids) {
    const { call } = await replica.as(pair.caller).getCall({ id });
    expect([call!.status, call!.hangup_cause]).toEqual(['answered', undefined]);
  }
  expect([pair.phones.talking.length, pair.carrier.talking.length]).toEqual([ids.length, ids.length]);
  for (const id of ids) {
    await replica.as(pair.caller).hangUp({ id });
    expect(await whenCall(replica.as(pair.caller), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
    expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  }
  await eventually(() => pair.phones.talking.length === 0 && pair.carrier.talking.length === 0);
}

test.each(['cut', 'silence'] as const)(
  'a replica that loses its connection to Asterisk (%s) leaves driving to the other, and conversations go on',
  async (how) => {
    const lost = await pair.driver();
    const ids = await conversations(5, lost);
    pair.links.get(lost)![how]();
    const successor = await pair.successorOf(lost);
    await eventually(() => !lost.drives);
    // Placed at the replica that is cut off.
    ids.push(await pair.place(lost, pair.newNumber()));
    await whenCall(successor.as(pair.caller), ids.at(-1)!, 'answered');
    await expectToGoOn(ids, successor);
  },
);

test('no replica reaches Asterisk for a while: conversations go on, and a new call is not kept waiting', async () => {
  const ids = await conversations(3, await pair.driver());
  pair.replicas.forEach((replica) => pair.links.get(replica)!.cut());
  await eventually(() => pair.replicas.every(({ drives }) => !drives));
  const refused = await pair.place(pair.replicas[0]!, pair.newNumber());
  expect(await whenCall(pair.replicas[1]!.as(pair.caller), refused, 'ended')).toMatchObject({
    ...{ hangup_cause: 'NETWORK_OUT_OF_ORDER', duration: 0 },
  });
  pair.replicas.forEach((replica) => pair.links.get(replica)!.mend());
  await expectToGoOn(ids, await pair.driver());
});

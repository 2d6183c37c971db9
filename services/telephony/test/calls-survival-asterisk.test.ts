import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { eventually } from '@sabia/testkit/eventually';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import type { BankCall, Manner } from '@sabia/testkit/softphone/phone-bank';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { createAriClient } from '../src/switch/asterisk/ari-client';
import type { AriClient } from '../src/switch/asterisk/ari-client';
import { newAccount, openStage, silent, whenCall } from './stage';
import type { Stage } from './stage';
import { openCuttableLink } from './support/cuttable-link';
import type { CuttableLink } from './support/cuttable-link';
import { spawnReplica } from './support/replica-process';
import type { ReplicaProcess } from './support/replica-process';

const senha = 'segredo-1';
let stage: Stage;
let asterisk: TestAsterisk;
let requests: AriClient;
let caller: Caller;
let phones: PhoneBank;
let carrier: PhoneBank;
let replicas: ReplicaProcess[] = [];
/** The connection of each replica to Asterisk. */
const links = new Map<ReplicaProcess, CuttableLink>();
/** How the phones, and the carrier for each number, react to a call. */
let pickUp: Manner = 'answer';
const manners = new Map<string, Manner>();

beforeAll(async () => {
  stage = await openStage();
  asterisk = await startTestAsterisk(stage.database);
  requests = createAriClient({ ...credentials(), log: silent, onEvent: () => undefined });
  carrier = await PhoneBank.open({ server: asterisk.sipUdp, manner: (number) => manners.get(number) ?? 'answer' });
  await requests.putObject('aor', 'trunk-bank', { contact: `sip:${carrier.address}` });
  await declareTrunk();
  caller = newAccount(stage);
  await asterisk.addExtension({ domain: caller.domain, ramal: '1000', senha });
  phones = await PhoneBank.open({ server: asterisk.sipUdp, manner: () => pickUp });
  await phones.register({ domain: caller.domain, ramal: '1000', senha });
  replicas = [await start(), await start()];
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.kill()));
  await Promise.all([...links.values()].map((link) => link.close()));
  phones?.end();
  carrier?.end();
  await requests?.stop();
  await asterisk?.stop();
  await stage?.close();
});

beforeEach(() => {
  pickUp = 'answer';
});

afterEach(() => {
  links.forEach((link) => link.mend());
});

const declareTrunk = (fields: Record<string, string> = {}) =>
  requests.putObject('endpoint', 'trunk-bank', {
    ...{ aors: 'trunk-bank', transport: 'udp', context: 'from-trunk', identify_by: 'header' },
    ...{ disallow: 'all', allow: 'alaw', direct_media: 'no' },
    ...fields,
  });

function credentials() {
  return { url: asterisk.ariUrl, user: asterisk.ariUser, password: asterisk.ariPassword, app: 'sabia' };
}

async function start(): Promise<ReplicaProcess> {
  const link = await openCuttableLink(asterisk.ariUrl);
  const replica = await spawnReplica(stage, {
    ARI_URL: link.url,
    ARI_USER: asterisk.ariUser,
    ARI_PASSWORD: asterisk.ariPassword,
    TRUNKS: JSON.stringify([
      { name: 'trunk-bank', format: 'e164' },
      { name: asterisk.testTrunk, format: 'e164' },
    ]),
    SWITCH_POLL_MS: '50',
    RING_TIMEOUT_SECONDS: '30',
  });
  links.set(replica, link);
  return replica;
}

let lastNumber = 551131000000;
const newNumber = () => String((lastNumber += 1));

const driver = () => eventually(() => replicas.find(({ drives }) => drives));

/** Kills the driving replica and starts another one; returns the replica that took over. */
async function killDriver(): Promise<ReplicaProcess> {
  const victim = await driver();
  await victim.kill();
  replicas = replicas.filter((replica) => replica !== victim);
  const successor = await driver();
  replicas.push(await start());
  return successor;
}

const place = async (replica: ReplicaProcess, called: string) =>
  (await replica.as(caller).placeCall({ extension: '1000', called })).id;

const atCarrier = (number: string): Promise<BankCall> =>
  eventually(() => [...carrier.calls.values()].find(({ called }) => called === number));
const atPhone = (number: string): Promise<BankCall> =>
  eventually(() => [...phones.calls.values()].find((call) => call.caller === number));

const eventTypes = async (id: string) =>
  (await stage.eventsOf(id)).map(({ type }) => type.replace('telephony.call.', ''));

/** Kills all replicas with SIGKILL. */
async function killAll(): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.kill()));
  replicas = [];
}

async function startAgain(): Promise<ReplicaProcess> {
  replicas = [await start(), await start()];
  return driver();
}

/** Places a call and waits until it is answered. */
async function talkTo(number: string, as: Caller = caller): Promise<{ id: string; far: BankCall }> {
  const replica = await driver();
  const { id } = await replica.as(as).placeCall({ extension: '1000', called: number });
  const far = await atCarrier(number);
  await whenCall(replica.as(as), id, 'answered');
  return { id, far };
}

const seconds = (milliseconds: number) => milliseconds / 1000;

test('calls that end while no replica runs get the time of their end from the switch, and the others go on', async () => {
  const calls = await Promise.all(Array.from({ length: 6 }, () => talkTo(newNumber())));
  const over = calls.slice(0, 3);
  const lasting = calls.slice(3);
  await killAll();
  const hungUpAt = Date.now();
  await Promise.all(over.map(({ far }) => carrier.hangUp(far)));
  await delay(6_000);
  const successor = await startAgain();
  for (const { id } of over) {
    const call = await whenCall(successor.as(caller), id, 'ended');
    expect(call.hangup_cause).toBe('NORMAL_CLEARING');
    expect(Math.abs(seconds(call.ended_at!.getTime() - hungUpAt))).toBeLessThan(2);
    expect(await eventTypes(id)).toEqual(['created', 'answered', 'ended']);
  }
  for (const { id } of lasting) {
    expect((await successor.as(caller).getCall({ id })).call!.status).toBe('answered');
    await successor.as(caller).hangUp({ id });
    await whenCall(successor.as(caller), id, 'ended');
  }
  await eventually(async () => (await requests.channels()).length === 0);
});

test('an answer and an end that happen while no replica runs are recorded with their real times', async () => {
  const number = newNumber();
  manners.set(number, 'ring');
  const id = await place(await driver(), number);
  const far = await atCarrier(number);
  await eventually(async () => (await requests.channels()).some(({ id: name }) => name === `${id}-b0`));
  await eventually(() => phones.talking.length === 1);
  await killAll();
  carrier.answer(far);
  await delay(3_000);
  await carrier.hangUp(far);
  await delay(3_000);
  const successor = await startAgain();
  expect(await whenCall(successor.as(caller), id, 'ended')).toMatchObject({
    hangup_cause: 'NORMAL_CLEARING',
    duration: 3,
  });
  expect(await eventTypes(id)).toEqual(['created', 'answered', 'ended']);
  await eventually(() => phones.talking.length === 0);
});

test('a softphone that answers while no replica runs is hung up by the switch, and the call is not recorded as cancelled', async () => {
  pickUp = 'ring';
  const number = newNumber();
  const id = await place(await driver(), number);
  const ringing = await atPhone(number);
  await killAll();
  // Asterisk, too, has noticed that no replica is connected.
  await delay(1_000);
  phones.answer(ringing);
  await eventually(() => ringing.state === 'ended');
  const successor = await startAgain();
  expect(await whenCall(successor.as(caller), id, 'ended')).toMatchObject({
    ...{ hangup_cause: 'NORMAL_TEMPORARY_FAILURE', duration: 0 },
  });
  expect(await eventTypes(id)).toEqual(['created', 'ended']);
  expect(carrier.timesInvited({ called: number })).toBe(0);
});

test('a call whose softphone hangs up while no replica runs is recorded as cancelled', async () => {
  const number = newNumber();
  manners.set(number, 'ring');
  const id = await place(await driver(), number);
  await atCarrier(number);
  const talking = await atPhone(number);
  await killAll();
  await phones.hangUp(talking);
  const successor = await startAgain();
  expect(await whenCall(successor.as(caller), id, 'ended')).toMatchObject({
    ...{ hangup_cause: 'ORIGINATOR_CANCEL', duration: 0 },
  });
  expect(await eventTypes(id)).toEqual(['created', 'ended']);
});

test('while telephony is frozen the switch ends a call whose credit is used up, and the call records when', async () => {
  const poor = newAccount(stage, { credit: 5 });
  await asterisk.addExtension({ domain: poor.domain, ramal: '1000', senha });
  await phones.register({ domain: poor.domain, ramal: '1000', senha });
  const number = newNumber();
  const { id, far } = await talkTo(number, poor);
  const answeredAt = Date.now();
  replicas.forEach((replica) => replica.pause());
  try {
    await eventually(() => far.state === 'ended', { timeoutMs: 20_000 });
    expect(seconds(Date.now() - answeredAt)).toBeLessThan(8);
    await eventually(() => phones.talking.length === 0);
    await delay(5_000);
  } finally {
    replicas.forEach((replica) => replica.resume());
  }
  const successor = await driver();
  expect(await whenCall(successor.as(poor), id, 'ended')).toMatchObject({
    hangup_cause: 'ALLOTTED_TIMEOUT',
    duration: 5,
  });
  expect(await eventTypes(id)).toEqual(['created', 'answered', 'ended']);
});

test('a callee that vanishes without a BYE is noticed by its silence', async () => {
  await declareTrunk({ rtp_timeout: '2' });
  try {
    const { id } = await talkTo(newNumber());
    expect(await whenCall((await driver()).as(caller), id, 'ended')).toMatchObject({
      hangup_cause: 'RECOVERY_ON_TIMER_EXPIRE',
    });
  } finally {
    await declareTrunk({ rtp_timeout: '0' });
  }
});

test('the driving replica is killed in the middle of a wave: no party is called twice, and every call ends once', async () => {
  await driver();
  const wave = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const number = newNumber();
      return { number, id: await place(replicas[index % 2]!, number) };
    }),
  );
  const successor = await killDriver();
  for (const { id, number } of wave) {
    const call = await eventually(async () => {
      const { call: latest } = await successor.as(caller).getCall({ id });
      if (!['answered', 'ended'].includes(latest!.status)) {
        const { entries } = await successor.as(caller).getCallTimeline({ id });
        throw new Error(`the call is ${latest!.status}: ${entries.map(({ message }) => message).join(', ')}`);
      }
      return latest!;
    });
    if (call.status === 'answered') await successor.as(caller).hangUp({ id });
    // The new driver cannot know whether the call reached the switch or its callee, so it does not try again.
    else expect(['NETWORK_OUT_OF_ORDER', 'NORMAL_TEMPORARY_FAILURE']).toContain(call.hangup_cause);
    await whenCall(successor.as(caller), id, 'ended');
    expect((await eventTypes(id)).filter((type) => type === 'ended')).toHaveLength(1);
    expect(phones.timesInvited({ caller: number })).toBeLessThanOrEqual(1);
    expect(carrier.timesInvited({ called: number })).toBeLessThanOrEqual(1);
  }
  await eventually(() => phones.talking.length === 0 && carrier.talking.length === 0);
  expect(await requests.channels()).toEqual([]);
});

test('a carrier that is slow to answer: the replica that takes over waits instead of calling again', async () => {
  const number = newNumber();
  manners.set(number, 'silent');
  const id = await place(await driver(), number);
  const far = await atCarrier(number);
  const successor = await killDriver();
  await eventually(async () => (await stage.sql.query('SELECT FROM switch_leases')).length === 1);
  // A replica that places a new call has looked at the calls it took over.
  const other = newNumber();
  const otherId = await place(successor, other);
  await whenCall(successor.as(caller), otherId, 'answered');
  carrier.answer(far);
  await whenCall(successor.as(caller), id, 'answered');
  expect(carrier.timesInvited({ called: number })).toBe(1);
  await Promise.all([id, otherId].map((each) => successor.as(caller).hangUp({ id: each })));
  await whenCall(successor.as(caller), id, 'ended');
  expect(await eventTypes(id)).toEqual(['created', 'answered', 'ended']);
});

test('a carrier that refuses while no replica listens is not asked again, nor is another carrier', async () => {
  const number = newNumber();
  manners.set(number, 'ring');
  const victim = await driver();
  const id = await place(victim, number);
  const far = await atCarrier(number);
  await eventually(async () => {
    const { entries } = await victim.as(caller).getCallTimeline({ id });
    return entries.some(({ message }) => message === 'destination rings');
  });
  await victim.kill();
  carrier.refuse(far);
  const successor = await killDriver();
  expect(await whenCall(successor.as(caller), id, 'ended')).toMatchObject({ duration: 0 });
  expect(carrier.timesInvited({ called: number })).toBe(1);
  expect(await eventTypes(id)).toEqual(['created', 'ended']);
  await eventually(() => phones.talking.length === 0);
});

test('the stream of events breaks in the middle of a wave: every call goes on, and no party is called twice', async () => {
  pickUp = 'ring';
  const holder = await driver();
  const wave = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const number = newNumber();
      return { number, id: await place(holder, number) };
    }),
  );
  const ringing = await Promise.all(wave.map(({ number }) => atPhone(number)));
  // Another client takes over the application; the driving replica gets no events until it has taken it back.
  const intruder = createAriClient({ ...credentials(), log: silent, onEvent: () => undefined });
  intruder.start();
  await eventually(() => intruder.isConnected);
  ringing.slice(0, 7).forEach((call) => phones.answer(call));
  await eventually(() => !intruder.isConnected);
  // The rest answer while the replica reads the state of the switch.
  ringing.slice(7).forEach((call) => phones.answer(call));
  for (const { id, number } of wave) {
    await whenCall(holder.as(caller), id, 'answered');
    expect(phones.timesInvited({ caller: number })).toBe(1);
    expect(carrier.timesInvited({ called: number })).toBe(1);
  }
  await Promise.all(wave.map(({ id }) => holder.as(caller).hangUp({ id })));
  for (const { id } of wave) await whenCall(holder.as(caller), id, 'ended');
  await intruder.stop();
});

test('a replica that was frozen until its lease expired places no more calls', async () => {
  const sleeper = await driver();
  sleeper.pause();
  const successor = await eventually(() => replicas.find((replica) => replica !== sleeper && replica.drives));
  const wave = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const number = newNumber();
      return { number, id: await place(successor, number) };
    }),
  );
  sleeper.resume();
  for (const { id, number } of wave) {
    await whenCall(successor.as(caller), id, 'answered');
    await successor.as(caller).hangUp({ id });
    await whenCall(successor.as(caller), id, 'ended');
    expect(await eventTypes(id)).toEqual(['created', 'answered', 'ended']);
    expect(phones.timesInvited({ caller: number })).toBe(1);
    expect(carrier.timesInvited({ called: number })).toBe(1);
  }
  await eventually(() => !sleeper.drives);
});

/** Answered calls. */
async function conversations(count: number, replica: ReplicaProcess): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => place(replica, newNumber())));
  for (const id of ids) await whenCall(replica.as(caller), id, 'answered');
  return ids;
}

/** Each call is still answered, can be hung up, and ends once. */
async function expectToGoOn(ids: string[], replica: ReplicaProcess): Promise<void> {
  for (const id of ids) {
    const { call } = await replica.as(caller).getCall({ id });
    expect([call!.status, call!.hangup_cause]).toEqual(['answered', undefined]);
  }
  expect([phones.talking.length, carrier.talking.length]).toEqual([ids.length, ids.length]);
  for (const id of ids) {
    await replica.as(caller).hangUp({ id });
    expect(await whenCall(replica.as(caller), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
    expect(await eventTypes(id)).toEqual(['created', 'answered', 'ended']);
  }
  await eventually(() => phones.talking.length === 0 && carrier.talking.length === 0);
}

test.each(['cut', 'silence'] as const)(
  'a replica that loses its connection to Asterisk (%s) leaves driving to the other, and conversations go on',
  async (how) => {
    const lost = await driver();
    const ids = await conversations(5, lost);
    links.get(lost)![how]();
    const successor = await eventually(() => replicas.find((replica) => replica !== lost && replica.drives));
    await eventually(() => !lost.drives);
    // Placed at the replica that is cut off.
    ids.push(await place(lost, newNumber()));
    await whenCall(successor.as(caller), ids.at(-1)!, 'answered');
    await expectToGoOn(ids, successor);
  },
);

test('no replica reaches Asterisk for a while: conversations go on, and a new call is not kept waiting', async () => {
  const ids = await conversations(3, await driver());
  replicas.forEach((replica) => links.get(replica)!.cut());
  await eventually(() => replicas.every(({ drives }) => !drives));
  const refused = await place(replicas[0]!, newNumber());
  expect(await whenCall(replicas[1]!.as(caller), refused, 'ended')).toMatchObject({
    ...{ hangup_cause: 'NETWORK_OUT_OF_ORDER', duration: 0 },
  });
  replicas.forEach((replica) => links.get(replica)!.mend());
  await expectToGoOn(ids, await driver());
});

import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sabia/testkit/eventually';
import { lasting } from '@sabia/testkit/lasting';
import { promised } from '@sabia/testkit/promised';
import { newAccount, whenCall } from './stage';
import { ReplicaPair } from './support/replica-pair';

/** Telephony is away for a while; Asterisk and the parties are not. */
let pair: ReplicaPair;

beforeAll(async () => {
  pair = await ReplicaPair.open();
});

afterAll(() => pair?.close());

afterEach(() => pair.restore());

test('calls that end while no replica runs get the time of their end from the switch, and the others go on', async () => {
  const calls = await Promise.all(Array.from({ length: 6 }, () => pair.talkTo(pair.newNumber())));
  const over = calls.slice(0, 3);
  const lasting = calls.slice(3);
  await pair.killAll();
  const hungUpAt = Date.now();
  await Promise.all(over.map(({ far }) => pair.carrier.hangUp(far)));
  await delay(6_000);
  const backAt = Date.now();
  const successor = await pair.startAgain();
  for (const { id } of over) {
    const call = await whenCall(successor.as(pair.caller), id, 'ended');
    expect(call.hangup_cause).toBe('NORMAL_CLEARING');
    expect(call.ended_at!.getTime()).toBeGreaterThan(hungUpAt - 2_000);
    expect(call.ended_at!.getTime()).toBeLessThan(backAt);
    expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  }
  for (const { id } of lasting) {
    expect((await successor.as(pair.caller).getCall({ id })).call!.status).toBe('answered');
    await successor.as(pair.caller).hangUp({ id });
    await whenCall(successor.as(pair.caller), id, 'ended');
  }
  await eventually(async () => (await pair.requests.channels()).length === 0);
});

test('an answer and an end that happen while no replica runs are recorded with their real times', async () => {
  const number = pair.newNumber();
  pair.manners.set(number, 'ring');
  const id = await pair.place(await pair.driver(), number);
  const far = await pair.atCarrier(number);
  await eventually(async () => (await pair.requests.channels()).some(({ id: name }) => name === `${id}-b0`));
  await eventually(() => pair.phones.talking.length === 1);
  await pair.killAll();
  const answeredAt = Date.now();
  pair.carrier.answer(far);
  await delay(3_000);
  await pair.carrier.hangUp(far);
  await delay(3_000);
  const secondsAway = (Date.now() - answeredAt) / 1_000;
  const successor = await pair.startAgain();
  const call = await whenCall(successor.as(pair.caller), id, 'ended');
  expect(call).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: lasting(3) });
  expect(call.duration).toBeLessThan(secondsAway - 1);
  expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  await eventually(() => pair.phones.talking.length === 0);
});

test('a softphone that answers while no replica runs is kept by the switch until one does, and is called once', async () => {
  pair.pickUp = 'ring';
  const number = pair.newNumber();
  const id = await pair.place(await pair.driver(), number);
  const ringing = await pair.atPhone(number);
  await pair.killAll();
  // Asterisk, too, has noticed that no replica is connected.
  await delay(1_000);
  pair.phones.answer(ringing);
  await eventually(async () =>
    (await pair.requests.channels()).some(({ id: name, state }) => name === `${id}-a` && state === 'Up'),
  );
  pair.pickUp = 'answer';
  const successor = await pair.startAgain();
  await whenCall(successor.as(pair.caller), id, 'answered');
  await successor.as(pair.caller).hangUp({ id });
  expect(await whenCall(successor.as(pair.caller), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
  expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  expect(pair.phones.timesInvited({ caller: number })).toBe(1);
  expect(pair.carrier.timesInvited({ called: number })).toBe(1);
});

test('a call whose softphone hangs up while no replica runs is recorded as cancelled', async () => {
  const number = pair.newNumber();
  pair.manners.set(number, 'ring');
  const id = await pair.place(await pair.driver(), number);
  await pair.atCarrier(number);
  const talking = await pair.atPhone(number);
  await pair.killAll();
  await pair.phones.hangUp(talking);
  const successor = await pair.startAgain();
  expect(await whenCall(successor.as(pair.caller), id, 'ended')).toMatchObject({
    ...{ hangup_cause: 'ORIGINATOR_CANCEL', duration: 0 },
  });
  expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'ended']);
});

test('while telephony is frozen the switch ends a call whose credit is used up, and the call records when', async () => {
  const poor = newAccount(pair.stage, { credit: 5 });
  await pair.addPhone(poor);
  const number = pair.newNumber();
  const { id, far } = await pair.talkTo(number, poor);
  const answeredAt = Date.now();
  pair.replicas.forEach((replica) => replica.pause());
  try {
    await eventually(() => far.state === 'ended');
    expect(Date.now() - answeredAt).toBeLessThan(promised(8_000));
    await eventually(() => pair.phones.talking.length === 0);
    await delay(5_000);
  } finally {
    pair.replicas.forEach((replica) => replica.resume());
  }
  const successor = await pair.driver();
  expect(await whenCall(successor.as(poor), id, 'ended')).toMatchObject({
    hangup_cause: 'ALLOTTED_TIMEOUT',
    duration: lasting(5),
  });
  expect(await pair.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
});

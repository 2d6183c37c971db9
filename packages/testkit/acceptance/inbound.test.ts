import { randomInt } from 'node:crypto';
import { openCallRoom, type CallRoom, type PhoneAccount } from '../src/call-room';
import { eventually } from '../src/eventually';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { expectEnding, expectRecording } from './support/call-checks';

const { sip, testCarrier, testNumbers } = testStack();
const server = sip?.udp ?? '';
const outside = '5511977776666';
/** Softphones send 440 Hz, so a phone that hears it hears the other phone. */
const HERTZ = 440;
const newBina = () => `5511${randomInt(30_000_000, 39_999_999)}`;

let room: CallRoom;
let phone: Softphone;
let bina: string;
const phones: Softphone[] = [];

async function startPhone(account: PhoneAccount, answers: 'auto' | 'manual' = 'auto'): Promise<Softphone> {
  const started = await Softphone.start({ ...account, answers, server });
  phones.push(started);
  await started.waitRegistered();
  started.forget();
  return started;
}

/** A separate carrier for each call: a phone that does not register, but knows the password of the trunk. */
async function callFromOutside(called: string, { password = testCarrier?.password } = {}): Promise<Softphone> {
  const line = await Softphone.start({
    ...{ ramal: outside, domain: testCarrier?.domain ?? '', authUser: testCarrier?.username, senha: password ?? '' },
    ...{ server: testCarrier?.sip ?? '', registers: false },
  });
  phones.push(line);
  await line.dial(called);
  return line;
}

const closedWith = async (line: Softphone): Promise<string> => (await line.waitFor('CALL_CLOSED')).param ?? '';
const latest = (where: Record<string, unknown>) => eventually(async () => (await room.calls(where))[0]);

beforeAll(async () => {
  room = await openCallRoom(testStack());
  bina = newBina();
  phone = await startPhone(await room.addExtension({ bina }));
});

afterEach(() => phone.forget());

afterAll(async () => {
  await Promise.all(phones.map((each) => each.kill()));
  await room?.close();
});

test('a call from a carrier reaches the extension whose bina was called, and costs nothing', async () => {
  const line = await callFromOutside(bina);
  await line.waitFor('CALL_ESTABLISHED');
  const { id } = await latest({ call_type: 'inbound' });
  for (const end of [line, phone]) {
    await eventually(() => (end.heardTone(HERTZ)?.seconds ?? 0) > 1);
  }
  await line.hangup();
  const ending = { cause: 'NORMAL_CLEARING', code: '16', answered: true, callType: 'inbound' as const };
  const call = await expectEnding(room, id, { ...ending, from: outside, to: bina });
  await expectRecording(call);
  expect(call.call_price ?? 0).toBe(0);
  expect((await room.api().get<{ data: object[] }>('/credits/statement?page=1')).body.data).toHaveLength(1);
});

test('the extension may hang up as well, and so may the API', async () => {
  for (const hangUp of [(id: string) => phone.hangup().then(() => id), (id: string) => room.hangUp(id)]) {
    const line = await callFromOutside(bina);
    await line.waitFor('CALL_ESTABLISHED');
    const { id } = await latest({ call_type: 'inbound', status: 'answered' });
    await hangUp(id);
    await line.waitFor('CALL_CLOSED');
    const ending = { cause: 'NORMAL_CLEARING', code: '16', answered: true, callType: 'inbound' as const };
    await expectEnding(room, id, { ...ending, from: outside, to: bina });
  }
});

test('an unknown number is refused, and no account gets a call', async () => {
  const unknown = newBina();
  expect(await closedWith(await callFromOutside(unknown))).toMatch(/^404/);
  expect(await room.calls({ to: unknown })).toEqual([]);
});

test('a number that an extension shows and that does not belong to its account is refused', async () => {
  const shown = newBina();
  const person = { first_name: 'Ana', last_name: 'Silva', email_address: room.email };
  const created = await room.api().post('/extensions', { ...person, ramal: '3999', bina: shown });
  expect(created.status).toBe(200);
  expect(await closedWith(await callFromOutside(shown))).toMatch(/^404/);
});

test('a caller without the password of the trunk is refused, and reaches no extension', async () => {
  expect(await closedWith(await callFromOutside(bina, { password: 'a guess' }))).toMatch(/^40[13]/);
  expect(phone.events.map(({ type }) => type)).not.toContain('CALL_INCOMING');
});

test.each([
  ['without a softphone', undefined, 'SUBSCRIBER_ABSENT', '20', /^480/],
  ['that refuses', 'callee', 'USER_BUSY', '17', /^486/],
  ['that did not answer when the caller gave up', 'caller', 'ORIGINATOR_CANCEL', '487', /./],
] as const)('an extension %s', async (_what, whoHangsUp, cause, code, answer) => {
  const other = newBina();
  const account = await room.addExtension({ bina: other });
  const callee = whoHangsUp && (await startPhone(account, 'manual'));
  const line = await callFromOutside(other);
  await callee?.waitFor('CALL_INCOMING');
  await (whoHangsUp === 'caller' ? line : callee)?.hangup();
  expect(await closedWith(line)).toMatch(answer);
  const { id } = await latest({ call_type: 'inbound', to: other });
  await expectEnding(room, id, { cause, code, answered: false, callType: 'inbound', from: outside, to: other });
});

test('a softphone dials another extension: internal, recorded, free', async () => {
  const other = await startPhone(await room.addExtension());
  await other.dial(phone.options.ramal);
  await other.waitFor('CALL_ESTABLISHED');
  const { id } = await latest({ call_type: 'internal' });
  for (const end of [other, phone]) {
    await eventually(() => (end.heardTone(HERTZ)?.seconds ?? 0) > 1);
  }
  await phone.hangup();
  const ending = { cause: 'NORMAL_CLEARING', code: '16', answered: true, callType: 'internal' as const };
  const call = await expectEnding(room, id, { ...ending, from: other.options.ramal, to: phone.options.ramal });
  await expectRecording(call);
  expect(call.call_price ?? 0).toBe(0);
});

test('a softphone dials a number, and one that is busy', async () => {
  await phone.dial(testNumbers.answer);
  await phone.waitFor('CALL_ESTABLISHED');
  const { id } = await latest({ to: testNumbers.answer });
  await phone.waitHeard({ seconds: 1, loudness: 300 });
  await phone.hangup();
  const parties = { from: phone.options.ramal, to: testNumbers.answer };
  const call = await expectEnding(room, id, { cause: 'NORMAL_CLEARING', code: '16', answered: true, ...parties });
  await expectRecording(call);

  phone.forget();
  await phone.dial(testNumbers.busy);
  expect(await closedWith(phone)).toMatch(/^486/);
  const busy = await latest({ to: testNumbers.busy });
  await expectEnding(room, busy.id, { cause: 'USER_BUSY', code: '17', answered: false });
});

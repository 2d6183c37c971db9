import { existsSync, readFileSync, renameSync } from 'node:fs';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { eventually } from '@sabia/testkit/eventually';
import { lasting } from '@sabia/testkit/lasting';
import { promised } from '@sabia/testkit/promised';
import { refusal } from '@sabia/testkit/refused-rpc';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { headerOf } from '@sabia/testkit/softphone/sip-message';
import { measureSound } from '@sabia/testkit/softphone/wave-file';
import { savePreferences } from '../src/storage/account-zones';
import { newAccount, numbers } from './stage';
import { senha, useAsteriskOffice } from './support/asterisk-office';
import { capturedLadder } from './support/captured-ladder';

/** Calls through Asterisk with a real softphone: who is called, what is heard and recorded, how they end. */
const office = useAsteriskOffice();
const { telephony, place, when, startPhone } = office;

test('an extension without a softphone is refused before anything rings', async () => {
  const stranger = office.replica.as(newAccount(office.stage));
  const refused = await refusal(stranger.placeCall({ extension: '1000', called: numbers.answer }));
  expect(refused).toMatchObject({ code: 'USER_NOT_REGISTERED', message: 'user not registered' });
  // Asterisk was not asked to ring anybody, which would take as long as it takes to give up.
  expect(await office.requests.channels()).toEqual([]);
  expect((await stranger.listCalls({})).data).toEqual([]);
});

test('who registers is told of, under the account of the domain', async () => {
  const rows = await eventually(async () => {
    const told = await office.stage.sql.query<{ account_id: number }>(
      `SELECT account_id FROM outbox WHERE type = 'telephony.extension.registered'`,
    );
    return told.length > 0 ? told : undefined;
  });
  expect(rows).toEqual([{ account_id: office.caller.accountId }]);
});

test('who is to call is told by headers to pick up, and who is called is not', async () => {
  const user = { domain: office.caller.domain, ramal: '1077', senha };
  await office.asterisk.addExtension(user);
  office.stage.neighbours.extensions.set(`${office.caller.accountId}/1077`, {
    domain: office.caller.domain,
    gravarAudio: false,
  });
  const line = await SipLine.open({ transport: 'UDP', server: office.asterisk.sipUdp });
  try {
    expect(await line.register(user)).toBe(200);
    const invites = () =>
      new Map(
        line.requests
          .filter(({ method }) => method === 'INVITE')
          .map((invite) => [headerOf(invite, 'call-id'), invite]),
      );
    const nthInvite = (nth: number) => eventually(() => [...invites().values()][nth]);

    const asCaller = await telephony().placeCall({ extension: '1077', called: numbers.answer });
    const toCaller = await nthInvite(0);
    expect(headerOf(toCaller, 'x-api4comintegratedcall')).toBe('true');
    expect(headerOf(toCaller, 'call-info')).toContain('answer-after=0');
    expect(headerOf(toCaller, 'x-sabia-call')).toBe(asCaller.id);
    await telephony().hangUp({ id: asCaller.id });
    await when(asCaller.id, 'ended');

    await office.phone.dial('1077');
    const toCallee = await nthInvite(1);
    expect(headerOf(toCallee, 'x-api4comintegratedcall')).toBe('');
    expect(headerOf(toCallee, 'call-info')).toBe('');
    expect(headerOf(toCallee, 'x-sabia-call')).toMatch(/^[0-9a-f-]{36}$/);
    await office.phone.hangup();
    await office.phone.waitFor('CALL_CLOSED');
  } finally {
    line.close();
    office.phone.forget();
  }
});

test('both legs up, talking, hung up by us, with the recording of it', async () => {
  const id = await place(numbers.answer);
  await when(id, 'answered');
  // What is heard takes a moment.
  await office.phone.waitHeard({ seconds: 2 });
  // The far end of the test carrier is in the same Asterisk: it is shown the number of the extension.
  const channels = await office.requests.channels();
  expect(channels.find(({ name }) => name.startsWith('PJSIP/test-carrier'))!.caller.number).toBe('+551140028922');
  await telephony().hangUp({ id });
  const call = await when(id, 'ended');
  expect(call.hangup_cause).toBe('NORMAL_CLEARING');
  await office.phone.waitFor('CALL_CLOSED');
  expect(office.phone.rtp.sent).toBeGreaterThan(50);
  expect(office.phone.rtp.received).toBeGreaterThan(50);

  const recorded = await eventually(async () => {
    const { call: latest } = await telephony().getCall({ id });
    return latest!.record_url;
  });
  const signature = new URL(recorded).searchParams.get('signature')!;
  const { location } = await telephony().getRecording({ callId: id, signature });
  const sound = measureSound(readFileSync(location));
  const talked = (call.ended_at!.getTime() - call.answered_at!.getTime()) / 1000;
  expect(Math.abs(sound.seconds - talked) * 1000).toBeLessThan(promised(500));
  expect(sound.loudness).toBeGreaterThan(0.001);
  expect(await office.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended', 'recorded']);
});

describe('a recording', () => {
  const aside = () => `${office.asterisk.recordingFolder}-aside`;
  const messages = async (id: string) =>
    (await telephony().getCallTimeline({ id })).entries.map(({ message }) => message);
  const whenNoted = (id: string, message: string) => eventually(async () => (await messages(id)).includes(message));
  const whenRecorded = (id: string) =>
    eventually(async () => (await office.stage.eventTypesOf(id)).includes('recorded') && (await messages(id)).at(-1));

  const breakSpool = () => renameSync(office.asterisk.recordingFolder, aside());
  const mendSpool = () => existsSync(aside()) && renameSync(aside(), office.asterisk.recordingFolder);

  afterEach(() => void mendSpool());

  test('that cannot begin is tried again', async () => {
    breakSpool();
    const id = await place(numbers.answer);
    await whenNoted(id, 'recording failed');
    mendSpool();
    await whenNoted(id, 'recording begun late');
    await telephony().hangUp({ id });
    expect(await whenRecorded(id)).toMatch('recording stored');
    const ended = (await office.stage.eventsOf(id)).find(({ type }) => type === 'telephony.call.ended');
    expect(ended!.call.recordUrl).toContain(id);
  });

  test('that never begins is not promised', async () => {
    breakSpool();
    const id = await place(numbers.answer);
    await whenNoted(id, 'recording failed');
    await telephony().hangUp({ id });
    await when(id, 'ended');
    const ended = (await office.stage.eventsOf(id)).find(({ type }) => type === 'telephony.call.ended');
    expect(ended!.call.recordUrl).toBeUndefined();
    expect((await refusal(telephony().getRecordingLink({ id }))).kind).toBe(ErrorKind.NOT_FOUND);
  });

  test('that was not begun when another office.replica takes over is begun by that one', async () => {
    breakSpool();
    const id = await place(numbers.answer);
    await when(id, 'answered');
    await office.changeDriver(mendSpool);
    await eventually(() => existsSync(`${office.asterisk.recordingFolder}/${id}.wav`));
    await telephony().hangUp({ id });
    expect(await whenRecorded(id)).toMatch('recording stored');
  });

  test('that ended early, as with a full disk, is told of as such', async () => {
    const id = await place(numbers.answer);
    const { answered_at: answeredAt } = await when(id, 'answered');
    await eventually(() => existsSync(`${office.asterisk.recordingFolder}/${id}.wav`));
    const authorization = `Basic ${Buffer.from(`${office.asterisk.ariUser}:${office.asterisk.ariPassword}`).toString('base64')}`;
    await fetch(`${office.asterisk.ariUrl}/recordings/live/${id}/stop`, { method: 'POST', headers: { authorization } });
    await whenNoted(id, 'recording ended early');
    // So much longer than the recording that it shows.
    await eventually(() => Date.now() - answeredAt!.getTime() > 6_000);
    await telephony().hangUp({ id });
    expect(await whenRecorded(id)).toBe('recording stored, part of the call is missing');
  });
});

test.each([
  ['busy', numbers.busy, 'USER_BUSY', '17', 486],
  ['unallocated', numbers.unallocated, 'UNALLOCATED_NUMBER', '1', 404],
  ['rejected', numbers.reject, 'CALL_REJECTED', '21', 403],
  ['no line free', numbers.congestion, 'NORMAL_CIRCUIT_CONGESTION', '34', 503],
])('%s', async (_name, called, cause, code, status) => {
  const id = await place(called);
  expect(await when(id, 'ended')).toMatchObject({ hangup_cause: cause, duration: 0 });
  const events = await office.stage.eventsOf(id);
  expect(events.map(({ type }) => type)).toEqual(['telephony.call.created', 'telephony.call.ended']);
  expect(events[1]!.call.hangupCauseCode).toBe(code);
  const { of } = await capturedLadder(telephony(), id);
  expect(of(`${called}@`).slice(-2)).toEqual([`destination < ${status} INVITE`, 'destination > ACK']);
});

test('a softphone dials a number, and another extension', async () => {
  const { accountId } = office.caller;
  await savePreferences(office.stage.sql, {
    ...{ accountId, timeZone: 'America/Manaus', areaCode: '92', recordingFormat: 'wav' },
    toldAt: new Date(),
  });
  const other = await startPhone('1001');
  const latest = async () => (await telephony().listCalls({ filter: '{"limit":1}' })).data[0]!;

  await other.dial(numbers.hangupAfter(1));
  const outside = await eventually(async () => {
    const call = await latest();
    return call.from === '1001' && call.status === 'ended' ? call : undefined;
  });
  expect(outside).toMatchObject({ call_type: 'outbound', to: numbers.hangupAfter(1), duration: lasting(1) });
  expect(await office.stage.eventTypesOf(outside.id)).toEqual(['created', 'answered', 'ended']);
  for (const { call } of await office.stage.eventsOf(outside.id)) expect(call.timeZone).toBe('America/Manaus');
  expect(office.stage.neighbours.reserved.get(outside.id)).toBe(60);
  const { of } = await capturedLadder(telephony(), outside.id);
  // The edge has asked for its password.
  expect(of('1001').filter((line) => !line.includes('18'))).toEqual([
    'extension < INVITE',
    'extension > 100 INVITE',
    'extension > 200 INVITE',
    'extension < ACK',
    'extension > BYE',
    'extension < 200 BYE',
  ]);

  office.phone.forget();
  await other.dial('1000');
  await office.phone.waitFor('CALL_ESTABLISHED');
  const inside = await latest();
  expect(inside).toMatchObject({ call_type: 'internal', from: '1001', to: '1000' });
  await when(inside.id, 'answered');
  await other.hangup();
  expect((await when(inside.id, 'ended')).hangup_cause).toBe('NORMAL_CLEARING');
  expect(office.stage.neighbours.reserved.has(inside.id)).toBe(false);
});

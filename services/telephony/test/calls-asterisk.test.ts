import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { LadderLeg } from '@sabia/protos/sabia/telephony/v1/messages';
import type { Call } from '@sabia/protos/sabia/telephony/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { headerOf } from '@sabia/testkit/softphone/sip-message';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { measureSound } from '@sabia/testkit/softphone/wave-file';
import type { Config } from '../src/config';
import { savePreferences } from '../src/storage/account-zones';
import { findLive } from '../src/storage/live-calls';
import { createAriClient } from '../src/switch/asterisk/ari-client';
import type { AriClient } from '../src/switch/asterisk/ari-client';
import { createSignallingCleaner } from '../src/switch/asterisk/capture/signalling-cleaner';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, numbers, onlyNode, openStage, silent, whenCall } from './stage';
import { capturedLadder } from './support/captured-ladder';
import type { Replica, Stage } from './stage';

let stage: Stage;
let asterisk: TestAsterisk;
let replica: Replica;
let caller: Caller;
let phone: Softphone;
let phones: Softphone[] = [];
let requests: AriClient;

const senha = 'segredo-1';

type SendPacket = (packet: Buffer, port: number, host: string, done: (error: Error | null) => void) => void;

function configured(): Partial<Config> {
  const { ariUrl: url, ariUser: user, ariPassword: password, sipCapture: capture } = asterisk;
  return {
    asterisk: {
      ...{ nodes: onlyNode(url, asterisk.sip), user, password, app: 'sabia', capture },
      integratedCallHeader: 'X-Api4comintegratedcall',
    },
    // The first one leads nowhere, so that every call also shows that the next one is tried.
    trunks: [
      { name: 'trunk-nowhere', format: 'e164' },
      { name: asterisk.testTrunk, format: '+e164' },
    ],
  };
}

async function startPhone(domain: string, ramal: string): Promise<Softphone> {
  await asterisk.addExtension({ domain, ramal, senha });
  const started = await Softphone.start({ domain, ramal, senha, server: asterisk.sipUdp });
  phones.push(started);
  await started.waitRegistered();
  started.forget();
  return started;
}

beforeAll(async () => {
  stage = await openStage();
  asterisk = await startTestAsterisk(stage.database);
  requests = createAriClient({
    ...configured().asterisk!,
    url: asterisk.ariUrl,
    log: silent,
    onEvent: () => undefined,
  });
  replica = await stage.start(configured());
  caller = newAccount(stage, { gravarAudio: true });
  phone = await startPhone(caller.domain, '1000');
});

afterAll(async () => {
  await Promise.all(phones.map((one) => one.kill()));
  phones = [];
  await replica?.stop();
  await requests?.stop();
  await asterisk?.stop();
  await stage?.close();
});

const place = async (called: string) => {
  const { id } = await replica.as(caller).placeCall({ extension: '1000', called });
  return id;
};
const when = (id: string, status: Call['status']) => whenCall(replica.as(caller), id, status);

test('an extension without a softphone is refused before anything rings', async () => {
  const stranger = replica.as(newAccount(stage));
  const refused = await refusal(stranger.placeCall({ extension: '1000', called: numbers.answer }));
  expect(refused).toMatchObject({ code: 'USER_NOT_REGISTERED', message: 'user not registered' });
  // Asterisk was not asked to ring anybody, which would take as long as it takes to give up.
  expect(await requests.channels()).toEqual([]);
  expect((await stranger.listCalls({})).data).toEqual([]);
});

test('who registers is told of, under the account of the domain', async () => {
  const rows = await eventually(async () => {
    const told = await stage.sql.query<{ account_id: number }>(
      `SELECT account_id FROM outbox WHERE type = 'telephony.extension.registered'`,
    );
    return told.length > 0 ? told : undefined;
  });
  expect(rows).toEqual([{ account_id: caller.accountId }]);
});

test('who is to call is told by headers to pick up, and who is called is not', async () => {
  const user = { domain: caller.domain, ramal: '1077', senha };
  await asterisk.addExtension(user);
  stage.neighbours.extensions.set(`${caller.accountId}/1077`, { domain: caller.domain, gravarAudio: false });
  const line = await SipLine.open({ transport: 'UDP', server: asterisk.sipUdp });
  try {
    expect(await line.register(user)).toBe(200);
    const invites = () =>
      new Map(
        line.requests
          .filter(({ method }) => method === 'INVITE')
          .map((invite) => [headerOf(invite, 'call-id'), invite]),
      );
    const nthInvite = (nth: number) => eventually(() => [...invites().values()][nth]);

    const asCaller = await replica.as(caller).placeCall({ extension: '1077', called: numbers.answer });
    const toCaller = await nthInvite(0);
    expect(headerOf(toCaller, 'x-api4comintegratedcall')).toBe('true');
    expect(headerOf(toCaller, 'call-info')).toContain('answer-after=0');
    expect(headerOf(toCaller, 'x-sabia-call')).toBe(asCaller.id);
    await replica.as(caller).hangUp({ id: asCaller.id });
    await when(asCaller.id, 'ended');

    await phone.dial('1077');
    const toCallee = await nthInvite(1);
    expect(headerOf(toCallee, 'x-api4comintegratedcall')).toBe('');
    expect(headerOf(toCallee, 'call-info')).toBe('');
    expect(headerOf(toCallee, 'x-sabia-call')).toMatch(/^[0-9a-f-]{36}$/);
    await phone.hangup();
    await phone.waitFor('CALL_CLOSED');
  } finally {
    line.close();
    phone.forget();
  }
});

test('an extension takes a call over, also across a change of the driver; one that does not pick up leaves it as it was', async () => {
  for (const ramal of ['1078', '1079']) {
    stage.neighbours.extensions.set(`${caller.accountId}/${ramal}`, { domain: caller.domain, gravarAudio: false });
  }
  const busy = { domain: caller.domain, ramal: '1079', senha };
  await asterisk.addExtension(busy);
  const line = await SipLine.open({ transport: 'UDP', server: asterisk.sipUdp });
  const colleague = await startPhone(caller.domain, '1078');
  phone.forget();
  try {
    expect(await line.register(busy)).toBe(200);
    const transfer = (id: string, to: string, from?: string) => replica.as(caller).transferCall({ id, to, from });
    const messages = async (id: string) =>
      (await replica.as(caller).getCallTimeline({ id })).entries.map(({ message }) => message);

    const ringing = await place(numbers.noAnswer);
    await when(ringing, 'ringing');
    expect(await refusal(transfer(ringing, '1078'))).toMatchObject({ code: 'CALL_NOT_ANSWERED' });
    await replica.as(caller).hangUp({ id: ringing });
    await when(ringing, 'ended');

    const id = await place(numbers.answer);
    const { answered_at: answeredAt } = await when(id, 'answered');
    expect(await refusal(transfer(id, '4711'))).toMatchObject({ codes: { to: 'inclusion' } });
    expect(await refusal(transfer(id, '1078', '1001'))).toMatchObject({ codes: { from: 'inclusion' } });
    expect(await refusal(replica.as(newAccount(stage)).transferCall({ id, to: '1078' }))).toMatchObject({
      kind: ErrorKind.NOT_FOUND,
    });

    // A phone that only registered and answers nothing.
    await transfer(id, '1079');
    const unanswered = await eventually(() => line.requests.find(({ method }) => method === 'INVITE'));
    expect(headerOf(unanswered, 'x-sabia-call')).toBe(id);
    expect(headerOf(unanswered, 'call-info')).toBe('');
    const leg = headerOf(unanswered, 'x-sabia-leg');
    expect(Number(leg)).toBeGreaterThan(0);
    // Who has transferred the call may leave while it rings.
    await replica.as(caller).leaveCall({ id, extension: '1000', leg: 0 });
    const leftUntil = async () => (await findLive(stage.sql, [id]))[0]!.leftUntil;
    expect((await leftUntil())!.getTime() - Date.now()).toBeGreaterThan(20_000);
    // The next request takes its place.
    await transfer(id, '1078');
    await colleague.waitFor('CALL_ESTABLISHED');
    await phone.waitFor('CALL_CLOSED');
    await colleague.waitHeard({ seconds: 1, loudness: 100 });
    expect(await messages(id)).toEqual(expect.arrayContaining(['an extension took over']));
    expect(await leftUntil()).toBeNull();

    await replica.stop();
    replica = await stage.start(configured());
    expect(await refusal(transfer(id, '1078', '1000'))).toMatchObject({ codes: { from: 'inclusion' } });
    await colleague.hangup();
    const ended = await when(id, 'ended');
    expect(ended).toMatchObject({ from: '1000', to: numbers.answer, hangup_cause: 'NORMAL_CLEARING' });
    expect(ended.answered_at).toEqual(answeredAt);
    const told = (await stage.eventsOf(id)).map(({ type }) => type.replace('telephony.call.', ''));
    expect(told.slice(0, 3)).toEqual(['created', 'answered', 'ended']);
  } finally {
    line.close();
    phone.forget();
  }
});

test('both legs up, talking, hung up by us, with the recording of it', async () => {
  const id = await place(numbers.answer);
  await when(id, 'answered');
  // What is heard takes a moment.
  await phone.waitHeard({ seconds: 2 });
  // The far end of the test carrier is in the same Asterisk: it is shown the number of the extension.
  const channels = await requests.channels();
  expect(channels.find(({ name }) => name.startsWith('PJSIP/test-carrier'))!.caller.number).toBe('+551140028922');
  await replica.as(caller).hangUp({ id });
  const call = await when(id, 'ended');
  expect(call.hangup_cause).toBe('NORMAL_CLEARING');
  await phone.waitFor('CALL_CLOSED');
  expect(phone.rtp.sent).toBeGreaterThan(50);
  expect(phone.rtp.received).toBeGreaterThan(50);

  const recorded = await eventually(async () => {
    const { call: latest } = await replica.as(caller).getCall({ id });
    return latest!.record_url;
  });
  const signature = new URL(recorded).searchParams.get('signature')!;
  const { location } = await replica.as(caller).getRecording({ callId: id, signature });
  const sound = measureSound(readFileSync(location));
  const talked = (call.ended_at!.getTime() - call.answered_at!.getTime()) / 1000;
  expect(Math.abs(sound.seconds - talked)).toBeLessThan(0.5);
  expect(sound.loudness).toBeGreaterThan(0.001);
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended', 'recorded']);
});

test('the ladder has the SIP messages of both legs, also after another replica has taken over; garbage does no harm', async () => {
  const garbage = createSocket('udp4');
  const { host, port } = asterisk.sipCapture!;
  for (const bytes of [
    '',
    'HEP3',
    'HEP3\0\x06',
    'INVITE sip:1000 SIP/2.0\r\n\r\n',
    'HEP3\xff\xff'.padEnd(9_000, '\xff'),
  ]) {
    await promisify(garbage.send.bind(garbage) as SendPacket)(Buffer.from(bytes, 'latin1'), port, host);
  }
  garbage.close();
  phone.forget();
  const id = await place(numbers.ring);
  await when(id, 'answered');
  const live = await eventually(async () => {
    const { entries } = await replica.as(caller).getCallLadder({ id });
    return entries.every(({ inferred }) => !inferred) && entries;
  });
  expect(live.at(-1)).toMatchObject({ method: 'ACK', inferred: false });
  await replica.stop();
  const tookOverAfter = new Date();
  replica = await stage.start(configured());
  // Only a replica that has found the calls on the switch notes that it sees the switch, and by then it knows their legs again.
  await eventually(
    async () =>
      (await stage.sql.query('SELECT FROM switch_sightings WHERE seen_at > $1', [tookOverAfter])).length === 1,
  );
  await phone.hangup();
  await when(id, 'ended');

  const { entries, of } = await capturedLadder(replica.as(caller), id);
  // The edge, too, says that it tries.
  expect(of('1000').filter((line) => !/[<>] 100/.test(line))).toEqual([
    'extension > INVITE',
    'extension < 180 INVITE',
    'extension < 200 INVITE',
    'extension > ACK',
    'extension < BYE',
    'extension > 200 BYE',
  ]);
  expect(of(`${numbers.ring}@`)).toEqual([
    'destination > INVITE',
    'destination < 401 INVITE',
    'destination > ACK',
    'destination > INVITE',
    'destination < 100 INVITE',
    'destination < 180 INVITE',
    'destination < 200 INVITE',
    'destination > ACK',
    'destination > BYE',
    'destination < 200 BYE',
  ]);
  const times = entries.map(({ at }) => at!.getTime());
  expect(times).toEqual([...times].sort((one, other) => one - other));
  const ringing = entries.find(({ status, leg }) => status === 180 && leg === LadderLeg.DESTINATION)!;
  const answer = entries.find(
    ({ status, cseq, leg }) => status === 200 && cseq === ringing.cseq && leg === ringing.leg,
  )!;
  // By the switch's own clock: the number rings for three seconds.
  expect(Math.abs(answer.at!.getTime() - ringing.at!.getTime() - 3_000)).toBeLessThan(500);

  const clean = (retentionDays: number) =>
    createSignallingCleaner({ database: stage.sql, retentionDays, now: () => new Date(Date.now() + 2 * 86_400_000) })();
  await clean(3);
  expect((await replica.as(caller).getCallLadder({ id })).entries.some(({ inferred }) => inferred)).toBe(false);
  await clean(1);
  expect((await replica.as(caller).getCallLadder({ id })).entries.every(({ inferred }) => inferred)).toBe(true);
});

describe('a recording', () => {
  const aside = () => `${asterisk.recordingFolder}-aside`;
  const messages = async (id: string) =>
    (await replica.as(caller).getCallTimeline({ id })).entries.map(({ message }) => message);
  const whenNoted = (id: string, message: string) => eventually(async () => (await messages(id)).includes(message));
  const whenRecorded = (id: string) =>
    eventually(async () => (await stage.eventTypesOf(id)).includes('recorded') && (await messages(id)).at(-1));

  const breakSpool = () => renameSync(asterisk.recordingFolder, aside());
  const mendSpool = () => existsSync(aside()) && renameSync(aside(), asterisk.recordingFolder);

  afterEach(() => void mendSpool());

  test('that cannot begin is tried again', async () => {
    breakSpool();
    const id = await place(numbers.answer);
    await whenNoted(id, 'recording failed');
    mendSpool();
    await whenNoted(id, 'recording begun late');
    await replica.as(caller).hangUp({ id });
    expect(await whenRecorded(id)).toMatch('recording stored');
    const ended = (await stage.eventsOf(id)).find(({ type }) => type === 'telephony.call.ended');
    expect(ended!.call.recordUrl).toContain(id);
  });

  test('that never begins is not promised', async () => {
    breakSpool();
    const id = await place(numbers.answer);
    await whenNoted(id, 'recording failed');
    await replica.as(caller).hangUp({ id });
    await when(id, 'ended');
    const ended = (await stage.eventsOf(id)).find(({ type }) => type === 'telephony.call.ended');
    expect(ended!.call.recordUrl).toBeUndefined();
    expect((await refusal(replica.as(caller).getRecordingLink({ id }))).kind).toBe(ErrorKind.NOT_FOUND);
  });

  test('that was not begun when another replica takes over is begun by that one', async () => {
    breakSpool();
    const id = await place(numbers.answer);
    await when(id, 'answered');
    await replica.stop();
    mendSpool();
    replica = await stage.start(configured());
    await eventually(() => existsSync(`${asterisk.recordingFolder}/${id}.wav`));
    await replica.as(caller).hangUp({ id });
    expect(await whenRecorded(id)).toMatch('recording stored');
  });

  test('that ended early, as with a full disk, is told of as such', async () => {
    const id = await place(numbers.answer);
    const { answered_at: answeredAt } = await when(id, 'answered');
    await eventually(() => existsSync(`${asterisk.recordingFolder}/${id}.wav`));
    const authorization = `Basic ${Buffer.from(`${asterisk.ariUser}:${asterisk.ariPassword}`).toString('base64')}`;
    await fetch(`${asterisk.ariUrl}/recordings/live/${id}/stop`, { method: 'POST', headers: { authorization } });
    await whenNoted(id, 'recording ended early');
    // So much longer than the recording that it shows.
    await eventually(() => Date.now() - answeredAt!.getTime() > 6_000);
    await replica.as(caller).hangUp({ id });
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
  const events = await stage.eventsOf(id);
  expect(events.map(({ type }) => type)).toEqual(['telephony.call.created', 'telephony.call.ended']);
  expect(events[1]!.call.hangupCauseCode).toBe(code);
  const { of } = await capturedLadder(replica.as(caller), id);
  expect(of(`${called}@`).slice(-2)).toEqual([`destination < ${status} INVITE`, 'destination > ACK']);
});

test('a softphone dials a number, and another extension', async () => {
  stage.neighbours.extensions.set(`${caller.accountId}/1001`, { domain: caller.domain, gravarAudio: false });
  const { accountId } = caller;
  await savePreferences(stage.sql, {
    ...{ accountId, timeZone: 'America/Manaus', areaCode: '92', recordingFormat: 'wav' },
    toldAt: new Date(),
  });
  const other = await startPhone(caller.domain, '1001');
  const latest = async () => (await replica.as(caller).listCalls({ filter: '{"limit":1}' })).data[0]!;

  await other.dial(numbers.hangupAfter(1));
  const outside = await eventually(async () => {
    const call = await latest();
    return call.from === '1001' && call.status === 'ended' ? call : undefined;
  });
  expect(outside).toMatchObject({ call_type: 'outbound', to: numbers.hangupAfter(1), duration: 1 });
  expect(await stage.eventTypesOf(outside.id)).toEqual(['created', 'answered', 'ended']);
  for (const { call } of await stage.eventsOf(outside.id)) expect(call.timeZone).toBe('America/Manaus');
  expect(stage.neighbours.reserved.get(outside.id)).toBe(60);
  const { of } = await capturedLadder(replica.as(caller), outside.id);
  // The edge has asked for its password.
  expect(of('1001').filter((line) => !line.includes('18'))).toEqual([
    'extension < INVITE',
    'extension > 100 INVITE',
    'extension > 200 INVITE',
    'extension < ACK',
    'extension > BYE',
    'extension < 200 BYE',
  ]);

  phone.forget();
  await other.dial('1000');
  await phone.waitFor('CALL_ESTABLISHED');
  const inside = await latest();
  expect(inside).toMatchObject({ call_type: 'internal', from: '1001', to: '1000' });
  await when(inside.id, 'answered');
  await other.hangup();
  expect((await when(inside.id, 'ended')).hangup_cause).toBe('NORMAL_CLEARING');
  expect(stage.neighbours.reserved.has(inside.id)).toBe(false);
});

test('who dialled and whose call is over is not left on the line by whoever takes over; who talks is', async () => {
  stage.neighbours.extensions.set(`${caller.accountId}/1003`, { domain: caller.domain, gravarAudio: false });
  const other = await startPhone(caller.domain, '1003');
  const dialled = async (by: Softphone, from: string) => {
    await by.dial(numbers.answer);
    return eventually(async () => {
      const { data } = await replica.as(caller).listCalls({ filter: '{"limit":1}' });
      return data[0]?.from === from && data[0].status === 'answered' ? data[0].id : undefined;
    });
  };
  const over = await dialled(other, '1003');
  const lasting = await dialled(phone, '1000');
  const born = Math.max(...(await requests.channels()).map(({ creationtime }) => Date.parse(creationtime)));
  await eventually(() => Date.now() - born > 11_000);
  await replica.stop();
  // As it is when Asterisk was away for so long that the call counted as ended.
  await stage.sql.query('DELETE FROM live_calls WHERE call_id = $1', [over]);
  replica = await stage.start(configured());
  const isOnTheLine = async (ramal: string) =>
    (await requests.channels()).some(({ name }) => name.startsWith(`PJSIP/${ramal}@`));
  await eventually(async () => !(await isOnTheLine('1003')));
  expect(await isOnTheLine('1000')).toBe(true);
  expect((await replica.as(caller).getCall({ id: lasting })).call!.status).toBe('answered');
  await replica.as(caller).hangUp({ id: lasting });
  await when(lasting, 'ended');
  await eventually(async () => !(await isOnTheLine('1000')));
});

test('another replica takes over without anybody noticing', async () => {
  const ids = await Promise.all([place(numbers.answer), place(numbers.answer), place(numbers.hangupAfter(8))]);
  for (const id of ids) await when(id, 'answered');
  await replica.stop();
  replica = await stage.start(configured());
  await eventually(async () => (await stage.sql.query('SELECT FROM switch_leases')).length === 1);
  await replica.as(caller).hangUp({ id: ids[0] });
  await when(ids[0], 'ended');
  expect((await replica.as(caller).getCall({ id: ids[1] })).call!.status).toBe('answered');
  expect(await when(ids[2], 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: 8 });
  await replica.as(caller).hangUp({ id: ids[1] });
  for (const id of ids) {
    await when(id, 'ended');
    expect((await stage.eventTypesOf(id)).slice(0, 3)).toEqual(['created', 'answered', 'ended']);
  }
});

test('kill -9 of Asterisk: once it is back, the calls that were on it end and new ones work', async () => {
  const ids = await Promise.all([place(numbers.answer), place(numbers.answer)]);
  for (const id of ids) await when(id, 'answered');
  const killedAt = Date.now();
  await asterisk.kill();
  await asterisk.start();
  for (const id of ids) {
    const call = await when(id, 'ended');
    expect(call.hangup_cause).toBe('NETWORK_OUT_OF_ORDER');
    // Nothing is known of them after their switch was last seen.
    expect(call.ended_at!.getTime()).toBeLessThan(killedAt + 1_000);
  }
  const again = await startPhone(caller.domain, '1002');
  stage.neighbours.extensions.set(`${caller.accountId}/1002`, { domain: caller.domain, gravarAudio: false });
  const id = await eventually(async () => {
    const placed = await replica.as(caller).placeCall({ extension: '1002', called: numbers.hangupAfter(1) });
    const call = await when(placed.id, 'ended');
    return call.hangup_cause === 'NORMAL_CLEARING' ? placed.id : undefined;
  });
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  expect(again.events.map(({ type }) => type)).toContain('CALL_ESTABLISHED');
});

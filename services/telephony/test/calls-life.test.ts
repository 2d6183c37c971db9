import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { CallRinging } from '@sabia/protos/sabia/telephony/v1/events';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

const place = async (called: string, options?: Parameters<typeof newAccount>[1]) => {
  const telephony = replica.as(newAccount(stage, options));
  const { id } = await telephony.placeCall({ extension: '1000', called });
  return { telephony, id };
};

test.each([
  ['unallocated', numbers.unallocated, 'UNALLOCATED_NUMBER', '1'],
  ['busy', numbers.busy, 'USER_BUSY', '17'],
  ['rejects', numbers.reject, 'CALL_REJECTED', '21'],
  ['without a line', numbers.congestion, 'NORMAL_CIRCUIT_CONGESTION', '34'],
])('%s: never answered', async (_name, called, cause, code) => {
  const { telephony, id } = await place(called);
  const call = await whenCall(telephony, id, 'ended');
  expect(call).toMatchObject({ hangup_cause: cause, duration: 0, answered_at: undefined });
  expect(call.ended_at!.getTime()).toBeGreaterThanOrEqual(call.started_at!.getTime());
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'ended']);
  const [, ended] = await stage.eventsOf(id);
  expect(ended!.call).toMatchObject({ hangupCause: cause, hangupCauseCode: code, durationSeconds: 0 });
});

test('answers, talks and hangs up', async () => {
  const { telephony, id } = await place(numbers.hangupAfter(1));
  const answered = await whenCall(telephony, id, 'answered');
  expect(answered.ended_at).toBeUndefined();
  const call = await whenCall(telephony, id, 'ended');
  expect(call).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: 1 });
  expect(call.ended_at!.getTime() - call.answered_at!.getTime()).toBe(1_000);
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  const rung = await stage.sql.query<{ payload: Buffer }>(
    `SELECT payload FROM outbox WHERE type = 'telephony.call.ringing'`,
  );
  const ringing = rung.map(({ payload }) => CallRinging.decode(payload).call!);
  expect(ringing.filter(({ callId }) => callId === id)).toMatchObject([{ answeredAt: undefined, to: call.to }]);
  const [, told, ended] = await stage.eventsOf(id);
  expect(told!.call).toMatchObject({ answeredAt: call.answered_at, endedAt: undefined, hangupCause: undefined });
  expect(ended!.call).toMatchObject({ endedAt: call.ended_at, hangupCauseCode: '16', durationSeconds: 1 });
});

test('rings, then answers; hung up by us', async () => {
  const { telephony, id } = await place(numbers.ring);
  await whenCall(telephony, id, 'ringing');
  await whenCall(telephony, id, 'answered');
  await telephony.hangUp({ id });
  const call = await whenCall(telephony, id, 'ended');
  expect(call.hangup_cause).toBe('NORMAL_CLEARING');
  expect((await refusal(telephony.hangUp({ id }))).kind).toBe(ErrorKind.NOT_FOUND);
});

test('hung up before an answer', async () => {
  const { telephony, id } = await place(numbers.noAnswer);
  await whenCall(telephony, id, 'ringing');
  await telephony.hangUp({ id });
  expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'ORIGINATOR_CANCEL', duration: 0 });
  const [, ended] = await stage.eventsOf(id);
  expect(ended!.call.hangupCauseCode).toBe('487');
});

test('many hangups at once end a call once', async () => {
  const { telephony, id } = await place(numbers.answer);
  await whenCall(telephony, id, 'answered');
  await Promise.allSettled(Array.from({ length: 10 }, () => telephony.hangUp({ id })));
  await whenCall(telephony, id, 'ended');
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
});

test('a recorded call gets its audio after its end', async () => {
  const { telephony, id } = await place(numbers.hangupAfter(1), { gravarAudio: true });
  const call = await eventually(async () => {
    const { call: latest } = await telephony.getCall({ id });
    return latest!.record_url === undefined ? undefined : latest!;
  });
  expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended', 'recorded']);
  const [, , ended, recorded] = await stage.eventsOf(id);
  expect([ended!.call.recordUrl, recorded!.call.recordUrl]).toEqual([call.record_url, call.record_url]);
  const url = new URL(call.record_url!);
  expect(url.pathname).toBe(`/api/v1/recordings/${id}.wav`);
  const signature = url.searchParams.get('signature')!;
  const recording = await telephony.getRecording({ callId: id, signature });
  expect(recording).toMatchObject({ contentType: 'audio/wav', size: 44 + 16_000 });
  expect(existsSync(recording.location)).toBe(true);
  expect((await refusal(telephony.getRecording({ callId: id, signature: 'x' }))).kind).toBe(ErrorKind.DENIED);
  expect((await refusal(telephony.getRecording({ callId: '../x', signature }))).kind).toBe(ErrorKind.NOT_FOUND);
});

test('the MP3 of a recording is made on request, once', async () => {
  const { telephony, id } = await place(numbers.hangupAfter(1), { gravarAudio: true });
  const ended = await eventually(async () => (await stage.eventsOf(id))[2]);
  const signature = new URL(ended.call.recordUrl!).searchParams.get('signature')!;
  const ask = () => telephony.getRecording({ callId: id, signature, format: 'mp3' });
  const [one, two] = await Promise.all([ask(), ask()]);
  expect(one).toEqual(two);
  expect(one.contentType).toBe('audio/mpeg');
  const audio = readFileSync(one.location);
  expect(audio.length).toBe(one.size);
  // A frame of MPEG 2.5, layer III.
  expect(audio.readUInt16BE(0) & 0xffe6).toBe(0xffe2);
  expect(await ask()).toEqual(one);
});

test('a link that is followed before the audio is in the store waits for it', async () => {
  const { telephony, id } = await place(numbers.hangupAfter(1), { gravarAudio: true });
  const ended = await eventually(async () => (await stage.eventsOf(id))[2]);
  await stage.sql.query('UPDATE recordings SET recorded_at = NULL, fetch_at = now() WHERE call_id = $1', [id]);
  const signature = new URL(ended.call.recordUrl!).searchParams.get('signature')!;
  expect((await telephony.getRecording({ callId: id, signature })).size).toBe(44 + 16_000);
});

test('a call that is not answered has no recording', async () => {
  const { telephony, id } = await place(numbers.busy, { gravarAudio: true });
  await whenCall(telephony, id, 'ended');
  expect((await stage.eventsOf(id)).at(-1)!.call.recordUrl).toBeUndefined();
});

test('a dial id works wherever a call id does', async () => {
  const { telephony, id } = await place(numbers.hangupAfter(1), { gravarAudio: true });
  const call = await eventually(async () => {
    const { call: latest } = await telephony.getCall({ id });
    return latest!.record_url === undefined ? undefined : latest!;
  });
  const dialId = randomUUID();
  await stage.sql.query('UPDATE calls SET dial_id = $2 WHERE id = $1', [id, dialId]);
  expect((await telephony.getCall({ id: dialId })).call).toEqual(call);
  expect(await telephony.getCallTimeline({ id: dialId })).toEqual(await telephony.getCallTimeline({ id }));
  const signature = new URL(call.record_url!).searchParams.get('signature')!;
  expect((await telephony.getRecording({ callId: dialId, signature })).location).toContain(id);
});

test('the destination comes back as it was sent, beside the number that was dialled', async () => {
  const { telephony, id } = await place('+55 (11) 5550-0103');
  const call = await whenCall(telephony, id, 'ended');
  expect(call).toMatchObject({ to: numbers.busy, called: '+55 (11) 5550-0103' });
  expect(call).toMatchObject({ call_type: 'outbound', direction: 'outbound' });
  const { data } = await telephony.listCalls({ filter: JSON.stringify({ where: { called: numbers.busy } }) });
  expect(data).toEqual([call]);
});

test('the timeline has all entries in order', async () => {
  const { telephony, id } = await place(numbers.hangupAfter(1), { gravarAudio: true });
  await eventually(async () => (await telephony.getCall({ id })).call!.record_url !== undefined);
  const { entries } = await telephony.getCallTimeline({ id });
  expect(entries.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    'request: call accepted',
    'credit: credit reserved',
    'leg: destination answered',
    'cause: call ended',
    'recording: recording stored',
  ]);
  expect(JSON.parse(entries[1]!.detail!)).toEqual({ seconds: 60 });
});

describe('with little time', () => {
  let hurried: Replica;

  beforeAll(async () => {
    await replica.stop();
    hurried = await stage.start({
      policy: {
        ringSeconds: 1,
        maximumSeconds: 3,
        extendSeconds: 1,
        extendLeadSeconds: 1,
        warningSeconds: 0,
        hangupSeconds: 5,
      },
    });
    replica = hurried;
  });

  test('a call that is not answered ends', async () => {
    const { telephony, id } = await place(numbers.noAnswer);
    expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'NO_ANSWER', duration: 0 });
    expect((await stage.eventsOf(id)).at(-1)!.call.hangupCauseCode).toBe('19');
  });

  test('a call ends when it has lasted as long as it may', async () => {
    const { telephony, id } = await place(numbers.answer);
    expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'ALLOTTED_TIMEOUT', duration: 3 });
  });

  test('a call ends when its credit is used up', async () => {
    const { telephony, id } = await place(numbers.answer, { credit: 2 });
    expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'ALLOTTED_TIMEOUT', duration: 2 });
    expect((await stage.eventsOf(id)).at(-1)!.call.hangupCauseCode).toBe('602');
    expect(stage.neighbours.reserved.get(id)).toBe(2);
  });
});

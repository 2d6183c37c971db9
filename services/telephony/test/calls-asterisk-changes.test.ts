import { createSocket } from 'node:dgram';
import { promisify } from 'node:util';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { LadderLeg } from '@sabia/protos/sabia/telephony/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import { lasting } from '@sabia/testkit/lasting';
import { promised } from '@sabia/testkit/promised';
import { refusal } from '@sabia/testkit/refused-rpc';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { headerOf } from '@sabia/testkit/softphone/sip-message';
import type { Softphone } from '@sabia/testkit/softphone/softphone';
import { findLive } from '../src/storage/live-calls';
import { createSignallingCleaner } from '../src/switch/asterisk/capture/signalling-cleaner';
import { newAccount, numbers } from './stage';
import { senha, useAsteriskOffice } from './support/asterisk-office';
import { capturedLadder } from './support/captured-ladder';

/** Calls through Asterisk with a real softphone go on when the driver changes, when an extension takes over, when Asterisk dies. */
const office = useAsteriskOffice();
const { telephony, place, when, startPhone } = office;

type SendPacket = (packet: Buffer, port: number, host: string, done: (error: Error | null) => void) => void;

test('an extension takes a call over, also across a change of the driver; one that does not pick up leaves it as it was', async () => {
  office.stage.neighbours.extensions.set(`${office.caller.accountId}/1079`, {
    domain: office.caller.domain,
    gravarAudio: false,
  });
  const busy = { domain: office.caller.domain, ramal: '1079', senha };
  await office.asterisk.addExtension(busy);
  const line = await SipLine.open({ transport: 'UDP', server: office.asterisk.sipUdp });
  const colleague = await startPhone('1078');
  office.phone.forget();
  try {
    expect(await line.register(busy)).toBe(200);
    const transfer = (id: string, to: string, from?: string) => telephony().transferCall({ id, to, from });
    const messages = async (id: string) =>
      (await telephony().getCallTimeline({ id })).entries.map(({ message }) => message);

    const ringing = await place(numbers.noAnswer);
    await when(ringing, 'ringing');
    expect(await refusal(transfer(ringing, '1078'))).toMatchObject({ code: 'CALL_NOT_ANSWERED' });
    await telephony().hangUp({ id: ringing });
    await when(ringing, 'ended');

    const id = await place(numbers.answer);
    const { answered_at: answeredAt } = await when(id, 'answered');
    expect(await refusal(transfer(id, '4711'))).toMatchObject({ codes: { to: 'inclusion' } });
    expect(await refusal(transfer(id, '1078', '1001'))).toMatchObject({ codes: { from: 'inclusion' } });
    expect(await refusal(office.replica.as(newAccount(office.stage)).transferCall({ id, to: '1078' }))).toMatchObject({
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
    await telephony().leaveCall({ id, extension: '1000', leg: 0 });
    const leftUntil = async () => (await findLive(office.stage.sql, [id]))[0]!.leftUntil;
    expect((await leftUntil())!.getTime() - Date.now()).toBeGreaterThan(20_000);
    // The next request takes its place.
    await transfer(id, '1078');
    await colleague.waitFor('CALL_ESTABLISHED');
    await office.phone.waitFor('CALL_CLOSED');
    await colleague.waitHeard({ seconds: 1, loudness: 100 });
    expect(await messages(id)).toEqual(expect.arrayContaining(['an extension took over']));
    expect(await leftUntil()).toBeNull();

    await office.changeDriver();
    expect(await refusal(transfer(id, '1078', '1000'))).toMatchObject({ codes: { from: 'inclusion' } });
    await colleague.hangup();
    const ended = await when(id, 'ended');
    expect(ended).toMatchObject({ from: '1000', to: numbers.answer, hangup_cause: 'NORMAL_CLEARING' });
    expect(ended.answered_at).toEqual(answeredAt);
    const told = (await office.stage.eventsOf(id)).map(({ type }) => type.replace('telephony.call.', ''));
    expect(told.slice(0, 3)).toEqual(['created', 'answered', 'ended']);
  } finally {
    line.close();
    office.phone.forget();
  }
});

test('the ladder has the SIP messages of both legs, also after another replica has taken over; garbage does no harm', async () => {
  const garbage = createSocket('udp4');
  const { host, port } = office.asterisk.sipCapture!;
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
  office.phone.forget();
  const id = await place(numbers.ring);
  await when(id, 'answered');
  const live = await eventually(async () => {
    const { entries } = await telephony().getCallLadder({ id });
    return entries.every(({ inferred }) => !inferred) && entries;
  });
  expect(live.at(-1)).toMatchObject({ method: 'ACK', inferred: false });
  let tookOverAfter = new Date();
  await office.changeDriver(() => (tookOverAfter = new Date()));
  // Only a replica that has found the calls on the switch notes that it sees the switch, and by then it knows their legs again.
  await eventually(
    async () =>
      (await office.stage.sql.query('SELECT FROM switch_sightings WHERE seen_at > $1', [tookOverAfter])).length === 1,
  );
  await office.phone.hangup();
  await when(id, 'ended');

  const { entries, of } = await capturedLadder(telephony(), id);
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
  expect(Math.abs(answer.at!.getTime() - ringing.at!.getTime() - 3_000)).toBeLessThan(promised(500));

  const clean = (retentionDays: number) =>
    createSignallingCleaner({
      database: office.stage.sql,
      retentionDays,
      now: () => new Date(Date.now() + 2 * 86_400_000),
    })();
  await clean(3);
  expect((await telephony().getCallLadder({ id })).entries.some(({ inferred }) => inferred)).toBe(false);
  await clean(1);
  expect((await telephony().getCallLadder({ id })).entries.every(({ inferred }) => inferred)).toBe(true);
});

test('who dialled and whose call is over is not left on the line by whoever takes over; who talks is', async () => {
  const other = await startPhone('1003');
  const dialled = async (by: Softphone, from: string) => {
    await by.dial(numbers.answer);
    return eventually(async () => {
      const { data } = await telephony().listCalls({ filter: '{"limit":1}' });
      return data[0]?.from === from && data[0].status === 'answered' ? data[0].id : undefined;
    });
  };
  const over = await dialled(other, '1003');
  const lasting = await dialled(office.phone, '1000');
  const born = Math.max(...(await office.requests.channels()).map(({ creationtime }) => Date.parse(creationtime)));
  await eventually(() => Date.now() - born > 11_000);
  // As it is when Asterisk was away for so long that the call counted as ended.
  await office.changeDriver(() => office.stage.sql.query('DELETE FROM live_calls WHERE call_id = $1', [over]));
  const isOnTheLine = async (ramal: string) =>
    (await office.requests.channels()).some(({ name }) => name.startsWith(`PJSIP/${ramal}@`));
  await eventually(async () => !(await isOnTheLine('1003')));
  expect(await isOnTheLine('1000')).toBe(true);
  expect((await telephony().getCall({ id: lasting })).call!.status).toBe('answered');
  await telephony().hangUp({ id: lasting });
  await when(lasting, 'ended');
  await eventually(async () => !(await isOnTheLine('1000')));
});

test('another replica takes over without anybody noticing', async () => {
  const ids = await Promise.all([place(numbers.answer), place(numbers.answer), place(numbers.hangupAfter(8))]);
  for (const id of ids) await when(id, 'answered');
  await office.changeDriver();
  await eventually(async () => (await office.stage.sql.query('SELECT FROM switch_leases')).length === 1);
  await telephony().hangUp({ id: ids[0] });
  await when(ids[0], 'ended');
  expect((await telephony().getCall({ id: ids[1] })).call!.status).toBe('answered');
  expect(await when(ids[2], 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: lasting(8) });
  await telephony().hangUp({ id: ids[1] });
  for (const id of ids) {
    await when(id, 'ended');
    expect((await office.stage.eventTypesOf(id)).slice(0, 3)).toEqual(['created', 'answered', 'ended']);
  }
});

test('kill -9 of Asterisk: once it is back, the calls that were on it end and new ones work', async () => {
  const ids = await Promise.all([place(numbers.answer), place(numbers.answer)]);
  for (const id of ids) await when(id, 'answered');
  const killedAt = Date.now();
  await office.asterisk.kill();
  await office.asterisk.start();
  for (const id of ids) {
    const call = await when(id, 'ended');
    expect(call.hangup_cause).toBe('NETWORK_OUT_OF_ORDER');
    // Nothing is known of them after their switch was last seen.
    expect(call.ended_at!.getTime()).toBeLessThan(killedAt + 1_000);
  }
  const again = await startPhone('1002');
  const id = await eventually(async () => {
    const placed = await telephony().placeCall({ extension: '1002', called: numbers.hangupAfter(1) });
    const call = await when(placed.id, 'ended');
    return call.hangup_cause === 'NORMAL_CLEARING' ? placed.id : undefined;
  });
  expect(await office.stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  expect(again.events.map(({ type }) => type)).toContain('CALL_ESTABLISHED');
});

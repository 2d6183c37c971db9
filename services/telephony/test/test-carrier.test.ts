import { buffer } from 'node:stream/consumers';
import { testNumbers } from '@sabia/embedded/asterisk/test-numbers';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk, type TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { measureSound } from '@sabia/testkit/softphone/wave-file';
import type { ChannelDestroyed, ChannelStateChange, StasisStart } from '../src/switch/asterisk/ari-types';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const extension = { domain: 'acme.sabia.localhost', ramal: '1000', senha: 'segredo-1' };
let database: TestDatabase;
let asterisk: TestAsterisk;
let switchboard: Switchboard;
let phone: Softphone;

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  asterisk = await startTestAsterisk(database);
  await asterisk.addExtension(extension);
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
  phone = await Softphone.start({ ...extension, server: asterisk.sipUdp });
  await phone.waitRegistered();
}, 600_000);

afterAll(async () => {
  await phone?.stop();
  await switchboard?.stop();
  await asterisk?.stop();
  await database?.drop();
});

beforeEach(() => {
  phone.forget();
  switchboard.events.length = 0;
});

const started = (role: string) =>
  switchboard.events.find((event): event is StasisStart => event.type === 'StasisStart' && event.args[0] === role);

/** By the clock of Asterisk. */
const whenCallee = (state: string): number => {
  const { id } = started('callee')!.channel;
  const change = switchboard.events.find(
    (event): event is ChannelStateChange =>
      event.type === 'ChannelStateChange' && event.channel.id === id && event.channel.state === state,
  );
  return Date.parse(change!.timestamp);
};

async function endOfCallee(): Promise<ChannelDestroyed> {
  return eventually(() => switchboard.ended(started('callee')?.channel.id ?? ''));
}

test.each([
  ['busy', testNumbers.busy, 17, 486],
  ['unallocated', testNumbers.unallocated, 1, 404],
  ['rejecting', testNumbers.reject, 21, 403],
  ['congested', testNumbers.congestion, 34, 503],
  ['unknown', '5511555999', 1, 404],
])('a %s number', async (_what, number, cause, status) => {
  await phone.dial(number);
  expect((await phone.waitFor('CALL_CLOSED')).param).toMatch(new RegExp(`^${status} `));
  expect(await endOfCallee()).toMatchObject({ cause, tech_cause: status });
});

test('a number that is not answered rings until the caller gives up', async () => {
  await phone.dial(testNumbers.noAnswer);
  await phone.waitFor('CALL_RINGING');
  await phone.hangup();
  expect(await endOfCallee()).toMatchObject({ channel: { state: 'Ringing' } });
  expect(phone.events.map(({ type }) => type)).not.toContain('CALL_ESTABLISHED');
});

test('a number that answers talks, with audio both ways, also into a recording', async () => {
  const before = phone.rtp;
  await phone.dial(testNumbers.answer);
  await phone.waitFor('CALL_ESTABLISHED');
  const bridgeId = `${started('from-extension')?.channel.id}-bridge`;
  await switchboard.ari.recordBridge(bridgeId, { name: 'talk', format: 'wav', maxDurationSeconds: 60 });
  const { seconds: unrecorded } = phone.heard();
  await phone.waitHeard({ seconds: unrecorded + 2, loudness: 500 });
  const callee = started('callee')?.channel.id as string;
  await eventually(async () => {
    const { rxcount, txcount } = await switchboard.ari.rtpStatistics(callee);
    return Math.min(rxcount, txcount) > 80;
  });
  await phone.hangup();
  // A softphone's own BYE ends its leg; the other one is hung up with the same cause.
  expect(await endOfCallee()).toMatchObject({ cause: 16 });
  await eventually(() => phone.rtp.received > before.received + 80 && phone.rtp.sent > before.sent + 80);
  await eventually(() => switchboard.events.some(({ type }) => type === 'RecordingFinished'));
  const sound = measureSound(await buffer(await switchboard.ari.recordingFile('talk')));
  expect(sound.seconds).toBeGreaterThan(1.5);
  expect(sound.loudness).toBeGreaterThan(500);
  expect(await switchboard.ari.deleteRecording('talk')).toBe(true);
});

test('a number that rings first answers after three seconds', async () => {
  await phone.dial(testNumbers.ring);
  await phone.waitFor('CALL_RINGING');
  await phone.waitFor('CALL_ESTABLISHED');
  expect(whenCallee('Up') - whenCallee('Ringing')).toBeGreaterThan(2_500);
  await phone.hangup();
  await endOfCallee();
});

test('a number that hangs up does so after the seconds in its last digits', async () => {
  await phone.dial(testNumbers.hangup.replace(/..$/, '02'));
  await phone.waitFor('CALL_ESTABLISHED');
  await phone.waitFor('CALL_CLOSED');
  const end = await endOfCallee();
  expect(end).toMatchObject({ cause: 16 });
  const talkedMs = Date.parse(end.timestamp) - whenCallee('Up');
  expect(talkedMs).toBeGreaterThan(1_500);
  expect(talkedMs).toBeLessThan(promised(6_000));
});

test('a number with an echo gives back what it hears', async () => {
  await phone.dial(testNumbers.echo);
  await phone.waitFor('CALL_ESTABLISHED');
  await phone.waitHeard({ seconds: 1, loudness: 500 });
  await phone.hangup();
  await endOfCallee();
});

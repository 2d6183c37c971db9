import type { Call } from './call';
import { ladderOf } from './ladder';
import type { LadderEntry } from './ladder';
import type { TimelineEntry } from './timeline';

const begun = new Date('2026-03-10T12:00:00Z');
const after = (seconds: number): Date => new Date(begun.getTime() + seconds * 1000);

const callOf = (call: Partial<Call>): Call =>
  ({
    type: 'outbound',
    userId: 7,
    from: '1000',
    to: '551155500101',
    startedAt: begun,
    answeredAt: null,
    endedAt: null,
    hangupCause: null,
    ...call,
  }) as Call;

const leg = (seconds: number, message: string, detail?: object): TimelineEntry => ({
  at: after(seconds),
  kind: 'leg',
  message,
  detail,
});

/** "extension > INVITE": from the switch to the party; "<" the other way. */
const lines = (entries: LadderEntry[]): string[] =>
  entries.map(({ leg: name, direction, method, status, inferred }) =>
    [name, direction === 'out' ? '>' : '<', method ?? status, ...(inferred ? [] : ['(reported)'])].join(' '),
  );

const called = leg(3, 'destination is being called', { endpoint: 'PJSIP/551155500101@main', attempt: 0 });

test('placed through the API, answered, hung up by the destination', () => {
  const call = callOf({ answeredAt: after(5), endedAt: after(9), hangupCause: 'NORMAL_CLEARING' });
  const entries = ladderOf(call, [
    { at: begun, kind: 'credit', message: 'credit reserved' },
    leg(1, 'caller rings'),
    leg(2, 'caller picked up'),
    called,
    leg(4, 'destination rings'),
    leg(9, 'destination has gone', { cause: 16 }),
  ]);
  expect(lines(entries)).toEqual([
    'extension > INVITE',
    'extension < 180',
    'extension < 200',
    'extension > ACK',
    'destination > INVITE',
    'destination < 180',
    'destination < 200',
    'destination > ACK',
    'extension > BYE',
    'extension < 200',
    'destination < BYE',
    'destination > 200',
  ]);
  expect(entries[4]).toMatchObject({ at: after(3), party: '551155500101@main', attempt: 0 });
  expect(entries[8]).toMatchObject({ at: after(9), party: '1000', reason: 'NORMAL_CLEARING' });
});

test('the status of a refusal is reported; the next trunk is another attempt', () => {
  const call = callOf({ endedAt: after(8), hangupCause: 'USER_BUSY' });
  const entries = ladderOf(call, [
    leg(2, 'caller picked up'),
    called,
    leg(4, 'destination has gone', { cause: 34, sipStatus: 503 }),
    leg(5, 'destination is being called', { endpoint: 'PJSIP/551155500101@spare', attempt: 1 }),
    leg(6, 'early audio from the destination'),
    leg(8, 'destination has gone', { cause: 17, sipStatus: 486 }),
  ]);
  expect(lines(entries).slice(3)).toEqual([
    'destination > INVITE',
    'destination < 503 (reported)',
    'destination > ACK',
    'destination > INVITE',
    'destination < 183',
    'extension > BYE',
    'extension < 200',
    'destination < 486 (reported)',
    'destination > ACK',
  ]);
  expect(entries[7]).toMatchObject({ status: 183, attempt: 1, party: '551155500101@spare' });
  expect(entries[10]).toMatchObject({ status: 486, reason: 'Busy Here' });
});

test('a softphone that dials, and hangs up while it rings', () => {
  const call = callOf({ userId: 0, endedAt: after(5), hangupCause: 'ORIGINATOR_CANCEL' });
  expect(lines(ladderOf(call, [called, leg(4, 'destination rings'), leg(5, 'caller has gone', { cause: 0 })]))).toEqual(
    [
      'extension < INVITE',
      'extension > 100',
      'destination > INVITE',
      'extension > 180',
      'destination < 180',
      'extension < CANCEL',
      'extension > 200',
      'extension > 487',
      'extension < ACK',
      'destination > CANCEL',
      'destination < 200',
      'destination < 487',
      'destination > ACK',
    ],
  );
});

test('from a carrier the extension is the leg that is called; while the call lasts nothing ends', () => {
  const call = callOf({ type: 'inbound', userId: 0, from: '5511988887777', to: '1000', answeredAt: after(5) });
  const entries = ladderOf(call, [leg(3, 'destination is being called', { endpoint: 'PJSIP/1000@conta' })]);
  expect(lines(entries)).toEqual([
    'destination < INVITE',
    'destination > 100',
    'extension > INVITE',
    'destination > 200',
    'destination < ACK',
    'extension < 200',
    'extension > ACK',
  ]);
});

test('of a call that was on no SIP switch nothing is known', () => {
  expect(ladderOf(callOf({ endedAt: after(1), hangupCause: 'USER_NOT_REGISTERED' }), [])).toEqual([]);
});

import type { Call } from './call';
import { ladderOf } from './ladder';
import type { LadderEntry } from './ladder';
import type { SipMessage } from './sip-message';
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

const sip = (seconds: number, what: string | number, cseq: string, tag = 'us'): SipMessage => ({
  at: begun.getTime() + seconds * 1000,
  ...(typeof what === 'string' ? { method: what } : { status: what, reason: 'As captured' }),
  cseq,
  tag,
});

test('captured messages take the place of what would be inferred; what was lost on the way stays inferred', () => {
  const call = callOf({ answeredAt: after(5), endedAt: after(9), hangupCause: 'NORMAL_CLEARING' });
  const notes = [leg(2, 'caller picked up'), called, leg(4, 'destination rings'), leg(9, 'destination has gone')];
  const entries = ladderOf(call, notes, [
    { leg: 'b0', messages: [sip(3.0011, 'INVITE', '1 INVITE'), sip(3.0012, 'INVITE', '1 INVITE')] },
    {
      leg: 'b0',
      messages: [
        sip(3.1, 407, '1 INVITE'),
        sip(3.1001, 'ACK', '1 ACK'),
        sip(3.1002, 'INVITE', '2 INVITE'),
        sip(3.6002, 'INVITE', '2 INVITE'),
        sip(5, 200, '2 INVITE'),
        sip(5.001, 'ACK', '2 ACK'),
        // The timeline knows who ended the call only roughly: what was captured counts.
        sip(8.999, 'BYE', '3 BYE'),
        sip(9, 200, '3 BYE'),
      ],
    },
  ]);
  expect(lines(entries.filter(({ leg: name }) => name === 'destination'))).toEqual([
    'destination > INVITE (reported)',
    'destination < 407 (reported)',
    'destination > ACK (reported)',
    'destination > INVITE (reported)',
    'destination > INVITE (reported)',
    'destination < 180',
    'destination < 200 (reported)',
    'destination > ACK (reported)',
    'destination > BYE (reported)',
    'destination < 200 (reported)',
  ]);
  expect(entries.filter(({ leg: name }) => name === 'extension').every(({ inferred }) => inferred)).toBe(true);
  const invites = entries.filter(({ method, inferred }) => method === 'INVITE' && !inferred);
  expect(invites.map(({ cseq, retransmission }) => [cseq, retransmission])).toEqual([
    ['1 INVITE', false],
    ['2 INVITE', false],
    ['2 INVITE', true],
  ]);
  expect(invites[0]).toMatchObject({ party: '551155500101@main', attempt: 0 });
});

test('who dials sends the first INVITE; a request with another tag comes from the other side', () => {
  const call = callOf({ userId: 0, type: 'internal', to: '1001', answeredAt: after(2), endedAt: after(3) });
  const entries = ladderOf(
    call,
    [leg(1, 'an extension took over', { extension: '1002' })],
    [
      {
        leg: 'a',
        messages: [
          sip(0, 'INVITE', '1 INVITE', 'phone'),
          sip(0.1, 200, '1 INVITE', 'phone'),
          sip(3, 'BYE', '7 BYE', 'us'),
        ],
      },
      { leg: 'a1700000000000', messages: [sip(1.1, 'INVITE', '1 INVITE')] },
      // Nobody knows who sent it.
      { leg: 'b0', messages: [sip(3, 'BYE', '2 BYE')] },
    ],
  );
  expect(lines(entries.filter(({ inferred }) => !inferred))).toEqual([
    'extension < INVITE (reported)',
    'extension > 200 (reported)',
    'extension > INVITE (reported)',
    'extension > BYE (reported)',
  ]);
  expect(entries.find(({ party }) => party === '1002')).toMatchObject({ method: 'INVITE' });
});

test('of a leg whose INVITE was not captured everything stays inferred', () => {
  const call = callOf({ answeredAt: after(5), endedAt: after(9), hangupCause: 'NORMAL_CLEARING' });
  const notes = [leg(2, 'caller picked up'), called, leg(4, 'destination rings'), leg(9, 'destination has gone')];
  const end = [sip(9, 'BYE', '3 BYE'), sip(9, 200, '3 BYE')];
  const rows = ['a', 'b0'].map((name) => ({ leg: name, messages: end }));
  expect(ladderOf(call, notes, rows)).toEqual(ladderOf(call, notes));
});

test('of a call that was on no SIP switch nothing is known', () => {
  expect(ladderOf(callOf({ endedAt: after(1), hangupCause: 'USER_NOT_REGISTERED' }), [])).toEqual([]);
});

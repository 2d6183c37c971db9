import { creditWarningAt, cutOffAt, dutyOf, legNumberOf, sideOf } from './live-call';

const policy = {
  ringSeconds: 30,
  maximumSeconds: 3600,
  extendLeadSeconds: 10,
  extendSeconds: 60,
  warningSeconds: 5,
  hangupSeconds: 5,
};
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);
const ringing = { startedAt: at(0), answeredAt: null, grantedSeconds: 60, requestedAt: null, requestedCause: null };
const talking = { ...ringing, answeredAt: at(10) };

test('a call rings until its timeout', () => {
  expect(dutyOf(ringing, policy, at(1))).toEqual({ kind: 'wait', until: at(30) });
  expect(dutyOf(ringing, policy, at(30))).toEqual({ kind: 'hang-up', cause: 'NO_ANSWER' });
});

test('talking time is extended before it is used up, and once more when it is', () => {
  expect(dutyOf(talking, policy, at(20))).toEqual({ kind: 'wait', until: at(60) });
  expect(dutyOf(talking, policy, at(60))).toEqual({ kind: 'extend', wanted: 120, last: false });
  expect(dutyOf(talking, policy, at(70))).toEqual({ kind: 'extend', wanted: 120, last: true });
});

test('a short grant is extended when a quarter of it is used', () => {
  expect(dutyOf({ ...talking, grantedSeconds: 6 }, policy, at(11))).toEqual({ kind: 'wait', until: at(11.5) });
});

test('the switch ends a call when its paid time is used up, and in any case after the longest time', () => {
  expect(cutOffAt(talking, 3600)).toEqual(at(70));
  expect(cutOffAt({ ...talking, grantedSeconds: 4000 }, 3600)).toEqual(at(3610));
  expect(cutOffAt({ ...talking, grantedSeconds: null }, 3600)).toEqual(at(3610));
});

test('the parties are warned before the credit is used up, but not before an extension was tried', () => {
  expect(creditWarningAt(talking, policy)).toEqual(at(65));
  expect(creditWarningAt({ ...talking, grantedSeconds: 6 }, policy)).toEqual(at(11.5));
  expect(creditWarningAt(talking, { ...policy, warningSeconds: 60 })).toEqual(at(60));
  expect(creditWarningAt(talking, { ...policy, warningSeconds: 0 })).toEqual(at(70));
});

test('the parties are warned before the longest time is over', () => {
  const free = { ...talking, grantedSeconds: null };
  expect(dutyOf(free, policy, at(3605))).toEqual({ kind: 'warn', until: at(3610) });
  const never = { ...policy, warningSeconds: 0 };
  expect(dutyOf(free, never, at(3605))).toEqual({ kind: 'wait', until: at(3610) });
  expect(dutyOf(free, { ...never, warningSeconds: 10, maximumSeconds: 4 }, at(11))).toEqual({
    kind: 'wait',
    until: at(12),
  });
});

test('a free call ends only after the longest time', () => {
  const free = { ...talking, grantedSeconds: null };
  expect(dutyOf(free, policy, at(20))).toEqual({ kind: 'wait', until: at(3605) });
  expect(dutyOf(free, policy, at(3610))).toEqual({ kind: 'hang-up', cause: 'ALLOTTED_TIMEOUT' });
});

test('a call that a party has left ends when the time to come back is over', () => {
  const left = { leftUntil: at(25) };
  expect(dutyOf({ ...talking, ...left }, policy, at(24))).toEqual({ kind: 'wait', until: at(60) });
  expect(dutyOf({ ...talking, ...left }, policy, at(25))).toEqual({ kind: 'hang-up', cause: 'NORMAL_CLEARING' });
  expect(dutyOf({ ...ringing, ...left }, policy, at(25))).toEqual({ kind: 'hang-up', cause: 'ORIGINATOR_CANCEL' });
});

test('legs of a side are counted; those of a softphone that dialled have a name of the switch', () => {
  const first = { aChannel: null, attempt: 0 };
  expect([legNumberOf(first, 'a'), legNumberOf(first, 'b')]).toEqual([0, 0]);
  const later = { aChannel: '01890000-0000-7000-8000-000000000001-a1700000000000', attempt: 2 };
  expect([legNumberOf(later, 'a'), legNumberOf(later, 'b')]).toEqual([1_700_000_000_000, 2]);
  expect(legNumberOf({ aChannel: '1700000000.12', attempt: 0 }, 'a')).toBe(0);
});

test('no more than the longest time is paid for', () => {
  expect(dutyOf({ ...talking, grantedSeconds: 3590 }, policy, at(3595))).toEqual({
    kind: 'extend',
    wanted: 3600,
    last: false,
  });
  expect(dutyOf({ ...talking, grantedSeconds: 3600 }, policy, at(3604))).toEqual({ kind: 'wait', until: at(3605) });
});

test('a call that does not end after it was told to is buried', () => {
  const told = { ...talking, requestedAt: at(20), requestedCause: 'NORMAL_CLEARING' as const };
  expect(dutyOf(told, policy, at(22))).toEqual({ kind: 'hang-up', cause: 'NORMAL_CLEARING' });
  expect(dutyOf(told, policy, at(25))).toEqual({ kind: 'bury', cause: 'NORMAL_CLEARING' });
});

test('a transfer comes before everything but the end of the call', () => {
  const wanted = { ...talking, transferSide: 'a' as const, transferTo: '1001' };
  expect(dutyOf(wanted, policy, at(60))).toEqual({ kind: 'transfer', side: 'a', to: '1001' });
  expect(dutyOf({ ...wanted, requestedAt: at(59) }, policy, at(60)).kind).toBe('hang-up');
});

test.each([
  ['outbound', '1000', 'a'],
  ['outbound', undefined, 'a'],
  ['outbound', '5511988887777', undefined],
  ['inbound', '1000', 'b'],
  ['inbound', undefined, 'b'],
  ['internal', '1000', 'a'],
  ['internal', '5511988887777', 'b'],
  ['internal', '1007', undefined],
] as const)('of an %s call, %s is on side %s', (type, leaving, side) => {
  const parties = { type, ramal: '1000', to: '5511988887777', aRamal: null, bRamal: null };
  expect(sideOf(parties, leaving)).toBe(side);
});

test('who has handed a call on is no longer in it', () => {
  const parties = { type: 'outbound' as const, ramal: '1000', to: '5511988887777', aRamal: '1001', bRamal: null };
  expect([sideOf(parties, '1000'), sideOf(parties, '1001')]).toEqual([undefined, 'a']);
});

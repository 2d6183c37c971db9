import { failureOfOpenProof } from './number-proof';

const now = new Date('2026-03-10T12:00:00Z');
const later = new Date('2026-03-10T12:05:00Z');
const open = { expiresAt: later, wasTried: false };
const ended = { status: 'ended' as const, answeredAt: null };

test.each([
  ['its call goes on', open, { ...ended, status: 'ringing' as const, hangupCause: null }, undefined],
  ['its call is not there yet', open, undefined, undefined],
  ['its code has expired', { ...open, expiresAt: now }, undefined, 'EXPIRED'],
  ['nobody answered', open, { ...ended, hangupCause: 'NO_ANSWER' as const }, 'NO_ANSWER'],
  ['the number was busy', open, { ...ended, hangupCause: 'USER_BUSY' as const }, 'BUSY'],
  ['the call was refused', open, { ...ended, hangupCause: 'CALL_REJECTED' as const }, 'REJECTED'],
  ['the call was ended', open, { ...ended, hangupCause: 'ORIGINATOR_CANCEL' as const }, 'CANCELLED'],
  ['there is no such number', open, { ...ended, hangupCause: 'UNALLOCATED_NUMBER' as const }, 'UNREACHABLE'],
  ['nothing was keyed in', open, { ...ended, answeredAt: now, hangupCause: 'NORMAL_CLEARING' as const }, 'NO_CODE'],
  [
    'it was left after a wrong code',
    { ...open, wasTried: true },
    { ...ended, answeredAt: now, hangupCause: 'NORMAL_CLEARING' as const },
    'WRONG_CODE',
  ],
])('%s', (_what, proof, call, failure) => {
  expect(failureOfOpenProof(proof, call, now)).toBe(failure);
});

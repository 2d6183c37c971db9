import type { LegEvent } from '../../storage/leg-events';
import { historyIn } from './call-history';

const id = '01890000-0000-7000-8000-000000000001';
const [a, b] = [`${id}-a`, `${id}-b0`];
const call = { id, aChannel: null, attempt: 0, answeredAt: null };
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);
const answer = (leg: string, seconds: number): LegEvent => ({
  leg,
  kind: 'ANSWER',
  at: at(seconds),
  cause: null,
  endedBy: null,
});
const hangup = (leg: string, seconds: number, cause: number, endedBy: string | null = 'PJSIP/x-1'): LegEvent => ({
  ...{ leg, kind: 'HANGUP', at: at(seconds), cause, endedBy },
});

test('no records', () => {
  expect(historyIn([], call)).toEqual({});
});

test('the callee answered and hung up; the caller was hung up with it', () => {
  expect(historyIn([answer(a, 1), answer(b, 5), hangup(b, 9, 16), hangup(a, 10, 16)], call)).toEqual({
    answeredAt: at(5),
    end: { at: at(9), cause: 'NORMAL_CLEARING' },
  });
});

test('the callee was busy', () => {
  expect(historyIn([answer(a, 1), hangup(b, 9, 17)], call)).toEqual({ end: { at: at(9), cause: 'USER_BUSY' } });
});

test('the caller gave up while it rang, or did not pick up', () => {
  expect(historyIn([answer(a, 1), hangup(a, 9, 16)], call).end!.cause).toBe('ORIGINATOR_CANCEL');
  expect(historyIn([hangup(a, 9, 16)], call).end!.cause).toBe('NO_USER_RESPONSE');
  expect(historyIn([hangup('1700.1', 9, 16)], { ...call, aChannel: '1700.1' }).end!.cause).toBe('ORIGINATOR_CANCEL');
});

test('a caller whose leg the switch ended, as no replica was connected, has not cancelled the call', () => {
  expect(historyIn([answer(a, 1), hangup(a, 1, 0, null)], call).end!.cause).toBe('NORMAL_TEMPORARY_FAILURE');
  const incoming = { ...call, aChannel: '1700.1' };
  expect(historyIn([hangup('1700.1', 9, 0, null)], incoming).end!.cause).toBe('NORMAL_TEMPORARY_FAILURE');
  expect(historyIn([hangup('1700.1', 9, 21)], incoming).end!.cause).toBe('NORMAL_TEMPORARY_FAILURE');
});

test('a callee, or a caller, who may never have been dialled has not refused', () => {
  expect(historyIn([hangup(a, 9, 21)], call).end!.cause).toBe('NORMAL_TEMPORARY_FAILURE');
  const events = [answer(a, 1), hangup(b, 1, 21), hangup(a, 3, 41, null)];
  expect(historyIn(events, call)).toEqual({ end: { at: at(1), cause: 'NORMAL_TEMPORARY_FAILURE' } });
});

test('a leg that rang was cancelled, and not by the switch', () => {
  expect(historyIn([hangup(a, 9, 127)], call).wasCancelled).toBe(true);
  expect(historyIn([answer(a, 1), hangup(b, 9, 127), hangup(a, 10, 16)], call).wasCancelled).toBe(true);
  // The caller has hung up, or the callee; or the switch has cancelled it.
  expect(historyIn([answer(a, 1), hangup(a, 9, 127)], call).wasCancelled).toBeUndefined();
  expect(historyIn([answer(a, 1), answer(b, 2), hangup(b, 9, 127)], call).wasCancelled).toBeUndefined();
  expect(historyIn([hangup(a, 9, 127, null)], call).wasCancelled).toBeUndefined();
});

test("the caller's softphone refuses", () => {
  expect(historyIn([hangup(a, 9, 17)], call).end!.cause).toBe('USER_BUSY');
});

test('the switch ends a call that was answered', () => {
  const events = [answer(a, 1), answer(b, 5), hangup(a, 9, 0, null), hangup(b, 9, 0, null)];
  expect(historyIn(events, call).end!.cause).toBe('NORMAL_CLEARING');
});

test('a leg that fell silent', () => {
  expect(historyIn([hangup(b, 9, 44)], { ...call, answeredAt: at(3) }).end!.cause).toBe('RECOVERY_ON_TIMER_EXPIRE');
  expect(historyIn([hangup(a, 9, 44)], { ...call, answeredAt: at(3) }).end!.cause).toBe('RECOVERY_ON_TIMER_EXPIRE');
});

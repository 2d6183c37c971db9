import type { LegEvent } from '../../storage/leg-events';
import { historyIn } from './call-history';

const id = '01890000-0000-7000-8000-000000000001';
const [a, b] = [`${id}-a`, `${id}-b0`];
const call = { id, aChannel: null, answeredAt: null };
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);
const answer = (leg: string, seconds: number): LegEvent => ({ leg, kind: 'ANSWER', at: at(seconds), cause: null });
const hangup = (leg: string, seconds: number, cause: number): LegEvent => ({
  ...{ leg, kind: 'HANGUP', at: at(seconds), cause },
});

test('nothing was written down', () => {
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

test('a leg that fell silent', () => {
  expect(historyIn([hangup(b, 9, 44)], { ...call, answeredAt: at(3) }).end!.cause).toBe('RECOVERY_ON_TIMER_EXPIRE');
  expect(historyIn([hangup(a, 9, 44)], { ...call, answeredAt: at(3) }).end!.cause).toBe('RECOVERY_ON_TIMER_EXPIRE');
});

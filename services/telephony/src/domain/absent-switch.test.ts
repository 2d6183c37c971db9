import { isOverUnseen } from './absent-switch';

const policy = { ringSeconds: 45, hangupSeconds: 5, absenceSeconds: 120 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const ringing = {
  ...{ startedAt: at(0), placedAt: at(0), answeredAt: null, grantedSeconds: 60 },
  ...{ requestedAt: null, requestedCause: null, seenAt: at(20) },
};
const talking = { ...ringing, answeredAt: at(10) };

test('an answered call lasts until its paid time is used up', () => {
  expect(isOverUnseen(talking, policy, at(74))).toBe(false);
  expect(isOverUnseen(talking, policy, at(75))).toBe(true);
});

test('an answered call that was seen after its paid time has not been cut, and gets a moment for a new driver', () => {
  const overdue = { ...talking, seenAt: at(90) };
  expect(isOverUnseen(overdue, policy, at(94))).toBe(false);
  expect(isOverUnseen(overdue, policy, at(95))).toBe(true);
});

test('a free call lasts until the switch has not been seen for too long', () => {
  const free = { ...talking, grantedSeconds: null };
  expect(isOverUnseen(free, policy, at(139))).toBe(false);
  expect(isOverUnseen(free, policy, at(140))).toBe(true);
  expect(isOverUnseen({ ...free, seenAt: null }, policy, at(120))).toBe(true);
});

test('a ringing call ends at its ring timeout', () => {
  expect(isOverUnseen(ringing, policy, at(44))).toBe(false);
  expect(isOverUnseen(ringing, policy, at(45))).toBe(true);
});

test('a call that was asked to end counts as ended like one that the switch does not confirm', () => {
  const asked = { ...talking, requestedAt: at(30) };
  expect(isOverUnseen(asked, policy, at(34))).toBe(false);
  expect(isOverUnseen(asked, policy, at(35))).toBe(true);
});

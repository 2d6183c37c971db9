import { isOverUnseen } from './absent-switch';

const policy = { ringSeconds: 45, hangupSeconds: 5, absenceSeconds: 120 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const ringing = {
  ...{ startedAt: at(0), placedAt: at(0), answeredAt: null, grantedSeconds: 60 },
  ...{ requestedAt: null, requestedCause: null, seenAt: at(20) },
};
const talking = { ...ringing, answeredAt: at(10) };

test('who talks goes on until what is paid for is used up', () => {
  expect(isOverUnseen(talking, policy, at(74))).toBe(false);
  expect(isOverUnseen(talking, policy, at(75))).toBe(true);
});

test('without a price, until nothing was seen of the switch for too long', () => {
  const free = { ...talking, grantedSeconds: null };
  expect(isOverUnseen(free, policy, at(139))).toBe(false);
  expect(isOverUnseen(free, policy, at(140))).toBe(true);
  expect(isOverUnseen({ ...free, seenAt: null }, policy, at(120))).toBe(true);
});

test('what rings does so for no longer than it may', () => {
  expect(isOverUnseen(ringing, policy, at(44))).toBe(false);
  expect(isOverUnseen(ringing, policy, at(45))).toBe(true);
});

test('what was asked to end is over as if the switch had been told and had not answered', () => {
  const asked = { ...talking, requestedAt: at(30) };
  expect(isOverUnseen(asked, policy, at(34))).toBe(false);
  expect(isOverUnseen(asked, policy, at(35))).toBe(true);
});

import { hasFailedForTooLong, updateCircuit } from './circuit';
import type { Circuit, Tally } from './circuit';

const now = new Date('2026-01-31T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const closed: Circuit = {
  consecutiveFailures: 0,
  circuitLevel: 0,
  pausedUntil: null,
  failingSince: null,
  lastFailureAt: null,
};
const tally = (fields: Partial<Tally>): Tally => ({ successes: 0, failures: 0, faults: 0, retryAfterMs: 0, ...fields });
const faults = (count: number) => tally({ failures: count, faults: count });

test('a few faults leave the circuit closed, five in a row open it', () => {
  const shaky = updateCircuit(closed, faults(4), now);
  expect(shaky).toEqual({ ...closed, consecutiveFailures: 4, failingSince: now, lastFailureAt: now });
  expect(updateCircuit(shaky, faults(1), later(1))).toEqual({
    consecutiveFailures: 5,
    circuitLevel: 1,
    pausedUntil: later(6),
    failingSince: now,
    lastFailureAt: later(1),
  });
});

test('each probe that fails doubles the pause, up to a minute', () => {
  let circuit = updateCircuit(closed, faults(64), now);
  const pauses: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const at = circuit.pausedUntil!;
    circuit = updateCircuit(circuit, faults(1), at);
    pauses.push((circuit.pausedUntil!.getTime() - at.getTime()) / 1000);
  }
  expect(pauses).toEqual([10, 20, 40, 60, 60, 60]);
});

test('requests that were under way when the circuit opened do not open it further', () => {
  const open = updateCircuit(closed, faults(5), now);
  expect(updateCircuit(open, faults(20), later(1))).toMatchObject({ circuitLevel: 1, pausedUntil: open.pausedUntil });
});

test('a success closes the circuit', () => {
  const open = updateCircuit(closed, faults(9), now);
  expect(updateCircuit(open, tally({ successes: 1, failures: 1, faults: 1 }), later(9))).toEqual(closed);
});

test('an answer of 400 is a failure but no fault', () => {
  expect(updateCircuit(closed, tally({ failures: 50 }), now)).toEqual({
    ...closed,
    failingSince: now,
    lastFailureAt: now,
  });
});

test('a receiver that asks for a pause gets it', () => {
  expect(updateCircuit(closed, tally({ failures: 1, faults: 1, retryAfterMs: 90_000 }), now).pausedUntil).toEqual(
    later(90),
  );
});

test('five days of nothing but failures are too long', () => {
  const failing = { ...closed, failingSince: now };
  expect(hasFailedForTooLong(failing, later(5 * 86_400 - 1))).toBe(false);
  expect(hasFailedForTooLong(failing, later(5 * 86_400))).toBe(true);
  expect(hasFailedForTooLong(closed, now)).toBe(false);
});

test('days without attempts do not count: the receiver has failed since the first failure after them', () => {
  const monday = updateCircuit(closed, faults(1), now);
  const nextMonday = updateCircuit(monday, faults(1), later(7 * 86_400));
  expect(nextMonday.failingSince).toEqual(later(7 * 86_400));
  expect(hasFailedForTooLong(nextMonday, later(7 * 86_400))).toBe(false);
});

test('a single delivery that is tried once a day is enough', () => {
  let circuit = updateCircuit(closed, faults(1), now);
  for (let days = 1; days <= 5; days += 1) {
    circuit = updateCircuit(circuit, faults(1), later(days * 1.1 * 86_400));
  }
  expect(circuit.failingSince).toEqual(now);
  expect(hasFailedForTooLong(circuit, later(5.5 * 86_400))).toBe(true);
});

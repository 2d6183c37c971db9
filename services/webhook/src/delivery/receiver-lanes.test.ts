import type { Receiver } from '../domain/receiver';
import { createLanes } from './receiver-lanes';

const now = new Date('2026-11-15T12:00:00Z');
const inAMoment = new Date(now.getTime() + 1_000);

const receiver = (circuit: Partial<Receiver>): Receiver => ({
  ...{ integrationId: 1, accountId: 1, disabledReason: null, previousSecrets: [] },
  ...{ consecutiveFailures: 0, circuitLevel: 0, pausedUntil: null, failingSince: null, lastFailureAt: null },
  settings: null,
  secret: { keyId: null, bytes: Buffer.alloc(24) },
  ...circuit,
});

/** With so many in the hands of this process already. */
function hasRoom(held: number, circuit: Partial<Receiver>): boolean {
  const lanes = createLanes();
  lanes.of(1).held = held;
  return lanes.hasRoom(receiver(circuit), now);
}

test('the table is searched for a receiver that nothing is known of', () => {
  expect(createLanes().hasRoom(receiver({}), now)).toBe(true);
});

test.each([
  ['a healthy one that has little', 63, {}, true],
  ['a healthy one that has enough', 64, {}, false],
  ['one that is left alone', 0, { consecutiveFailures: 5, pausedUntil: inAMoment }, false],
  ['one that has been left alone and gets its probe', 0, { consecutiveFailures: 5, pausedUntil: now }, true],
  ['one that is being probed', 1, { consecutiveFailures: 5, pausedUntil: now }, false],
  ['one that has begun to fail and has less than a few', 3, { consecutiveFailures: 2 }, true],
  ['one that has begun to fail and has a few', 4, { consecutiveFailures: 2 }, false],
])('new events in the table for %s', (_, held, circuit, expected) => {
  expect(hasRoom(held, circuit)).toBe(expected);
});

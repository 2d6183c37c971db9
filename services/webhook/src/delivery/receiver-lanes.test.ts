import type { Receiver } from '../domain/receiver';
import { createReceiverLanes } from './receiver-lanes';

const now = new Date('2026-11-15T12:00:00Z');
const inAMoment = new Date(now.getTime() + 1_000);

const receiver = (circuit: Partial<Receiver>): Receiver => ({
  ...{ integrationId: 1, accountId: 1, disabledReason: null, previousSecrets: [] },
  ...{ consecutiveFailures: 0, circuitLevel: 0, pausedUntil: null, failingSince: null, lastFailureAt: null },
  settings: null,
  secret: { keyId: null, bytes: Buffer.alloc(24) },
  ...circuit,
});

/** Whether there is room when this process holds so many deliveries of the receiver. */
function hasRoom(held: number, circuit: Partial<Receiver>): boolean {
  const lanes = createReceiverLanes();
  lanes.of(1).held = held;
  return lanes.hasRoom(receiver(circuit), now);
}

test('the table is searched for an unknown receiver', () => {
  expect(createReceiverLanes().hasRoom(receiver({}), now)).toBe(true);
});

test.each([
  ['a healthy receiver with few', 63, {}, true],
  ['a healthy receiver with enough', 64, {}, false],
  ['a paused receiver', 0, { consecutiveFailures: 5, pausedUntil: inAMoment }, false],
  ['a receiver whose pause is over', 0, { consecutiveFailures: 5, pausedUntil: now }, true],
  ['a receiver that is being probed', 1, { consecutiveFailures: 5, pausedUntil: now }, false],
  ['a shaky receiver with few', 3, { consecutiveFailures: 2 }, true],
  ['a shaky receiver with enough', 4, { consecutiveFailures: 2 }, false],
])('new events in the table for %s', (_, held, circuit, expected) => {
  expect(hasRoom(held, circuit)).toBe(expected);
});

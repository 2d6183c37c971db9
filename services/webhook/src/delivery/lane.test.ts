import { createLane } from './lane';
import type { Held } from './lane';

const target = { accountId: 1, origin: '', path: '', headers: [], namesTrace: false, secrets: [] };
const item = (id: string, callId: string | null, first = true): Held => ({
  ...{ id, integrationId: 1, callId, payload: '', test: false, failures: 0, first, troubled: false, claimed: false },
  ...{ eventType: 'channel-create', traceparent: null, target, heldAt: 0 },
});
const ids = (items: (Held | undefined)[]) => items.map((held) => held?.id);

test('the events of a call follow each other; calls do not wait for each other', () => {
  const lane = createLane();
  const [a1, a2, b1] = [item('a1', 'a'), item('a2', 'a'), item('b1', 'b')];
  [a1, a2, b1].forEach((held) => lane.push(held));
  expect(lane.queued).toBe(3);
  expect(ids([lane.take(), lane.take(), lane.take()])).toEqual(['a1', 'b1', undefined]);
  lane.finish(a1);
  expect(ids([lane.take(), lane.take()])).toEqual(['a2', undefined]);
  lane.finish(a2);
  lane.push(item('a3', 'a'));
  expect(ids([lane.take()])).toEqual(['a3']);
  expect(lane.queued).toBe(0);
});

test('a retry and the other events of its call do not wait for each other', () => {
  const lane = createLane();
  lane.push(item('a1', 'a'));
  lane.push(item('a0', 'a', false));
  lane.push(item('x', null));
  expect(ids([lane.take(), lane.take(), lane.take()])).toEqual(['a1', 'a0', 'x']);
});

test('a withdrawn delivery takes along the events behind it', () => {
  const lane = createLane();
  const [a1, a2] = [item('a1', 'a'), item('a2', 'a')];
  [a1, a2].forEach((held) => lane.push(held));
  lane.take();
  expect(ids(lane.withdraw(a1))).toEqual(['a1', 'a2']);
  expect(lane.queued).toBe(0);
  lane.push(item('a3', 'a'));
  expect(ids([lane.take()])).toEqual(['a3']);
});

test('all deliveries that are not being sent can be withdrawn; one being sent ends as usual', () => {
  const lane = createLane();
  const [a1, a2, b1, b2] = [item('a1', 'a'), item('a2', 'a'), item('b1', 'b'), item('b2', 'b')];
  [a1, a2, b1, b2].forEach((held) => lane.push(held));
  expect(lane.take()).toBe(a1);
  expect(ids(lane.withdrawAll()).sort()).toEqual(['a2', 'b1', 'b2']);
  expect(lane.queued).toBe(0);
  lane.finish(a1);
  expect(lane.take()).toBeUndefined();
  lane.push(item('a3', 'a'));
  expect(ids([lane.take()])).toEqual(['a3']);
});

test('faults lower the limit, and thousands go through in order', () => {
  const lane = createLane();
  expect(lane.limit).toBe(64);
  lane.faults = 1;
  expect(lane.limit).toBe(4);
  lane.faults = 5;
  expect(lane.limit).toBe(1);
  const many = Array.from({ length: 3000 }, (_, index) => item(String(index), null));
  many.forEach((held) => lane.push(held));
  expect(many.every((held) => lane.take() === held)).toBe(true);
  expect(lane.take()).toBeUndefined();
});

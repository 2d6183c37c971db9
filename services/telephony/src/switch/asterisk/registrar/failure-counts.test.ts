import { FailureCounts } from './failure-counts';

const limit = { failures: 3, windowMs: 60_000 };

test('reports the limit once, then starts again', () => {
  const counts = new FailureCounts(limit);
  expect(Array.from({ length: 7 }, () => counts.fail('192.0.2.7', 0))).toEqual([
    ...[false, false, true],
    ...[false, false, true],
    false,
  ]);
});

test('failures far apart do not add up', () => {
  const counts = new FailureCounts(limit);
  expect([0, 40_000, 80_000, 120_000, 160_000].map((now) => counts.fail('192.0.2.7', now))).not.toContain(true);
});

test('counts each source separately', () => {
  const counts = new FailureCounts(limit);
  for (let nth = 0; nth < 2; nth++) counts.fail('192.0.2.7', 0);
  expect(counts.fail('192.0.2.8', 0)).toBe(false);
  expect(counts.fail('192.0.2.7', 0)).toBe(true);
});

test('forgets the source that has been quiet for the longest time when there are too many', () => {
  const counts = new FailureCounts(limit);
  for (let nth = 0; nth < 2; nth++) counts.fail('first', 0);
  for (let nth = 0; nth < 10_000; nth++) counts.fail(`source ${nth}`, 0);
  expect(counts.fail('first', 0)).toBe(false);
});

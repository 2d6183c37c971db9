import { createBackOff } from './back-off';

test('doubles the pause up to a limit, and starts again after a success', () => {
  const backOff = createBackOff({ shortestMs: 100, longestMs: 1_000, random: () => 1 });
  expect([backOff.next(), backOff.next(), backOff.next(), backOff.next(), backOff.next()]).toEqual([
    100, 200, 400, 800, 1_000,
  ]);
  backOff.reset();
  expect(backOff.next()).toBe(100);
});

test('adds jitter of up to half of the pause', () => {
  const earliest = createBackOff({ shortestMs: 100, longestMs: 1_000, random: () => 0 });
  expect(earliest.next()).toBe(50);
});

import { createBackOff } from './back-off';

test('waits twice as long each time up to a limit, and begins anew after a success', () => {
  const backOff = createBackOff({ shortestMs: 100, longestMs: 1_000, random: () => 1 });
  expect([backOff.next(), backOff.next(), backOff.next(), backOff.next(), backOff.next()]).toEqual([
    100, 200, 400, 800, 1_000,
  ]);
  backOff.reset();
  expect(backOff.next()).toBe(100);
});

test('spreads those who wait over half of the time', () => {
  const earliest = createBackOff({ shortestMs: 100, longestMs: 1_000, random: () => 0 });
  expect(earliest.next()).toBe(50);
});

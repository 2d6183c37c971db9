import { nextWaitMs, readRetryAfter, retryWaitsMs } from './retry-schedule';

const now = new Date('2026-01-31T12:00:00Z');

test('5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, then no more', () => {
  const seconds = Array.from({ length: 10 }, (_, index) => nextWaitMs(index + 1, undefined, () => 0.5)).map(
    (wait) => wait && wait / 1000,
  );
  expect(seconds).toEqual([5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, undefined]);
});

test('jitter is a tenth either way', () => {
  for (const [index, planned] of retryWaitsMs.entries()) {
    expect(nextWaitMs(index + 1, undefined, () => 0)).toBe(planned - planned / 10);
    expect(nextWaitMs(index + 1, undefined, () => 1)).toBe(planned + planned / 10);
  }
});

test('never before the time that the receiver asked for, and never more than a day later', () => {
  expect(nextWaitMs(1, 120_000, () => 0.5)).toBe(120_000);
  expect(nextWaitMs(2, 1_000, () => 0.5)).toBe(300_000);
  expect(nextWaitMs(1, 10 * 86_400_000, () => 0.5)).toBe(86_400_000);
});

test.each<[string | undefined, number | undefined]>([
  ['120', 120_000],
  [' 0 ', 0],
  ['Sat, 31 Jan 2026 12:01:00 GMT', 60_000],
  ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j', (text, wait) => {
  expect(readRetryAfter(text, now)).toBe(wait);
});

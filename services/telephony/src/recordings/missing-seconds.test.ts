import { declaredMissing, missingSeconds } from './missing-seconds';

const bytes = (seconds: number) => 44 + seconds * 16_000;

test.each([
  ['all of it', bytes(60), 60, 0],
  ['a moment at the beginning', bytes(58.5), 60, 0],
  ['half of it', bytes(2), 4.4, 2],
  ['all of it, as the file is empty', 0, 30, 30],
  ['a little of an hour', bytes(3570), 3600, 0],
  ['a minute of an hour', bytes(3540), 3600, 60],
  ['nothing, as it is longer', bytes(61), 60, 0],
])('%s', (_what, size, wholeSeconds, missing) => {
  expect(missingSeconds(size, wholeSeconds)).toBe(missing);
});

test('the recording of a call whose switch was lost is never called whole', () => {
  expect(declaredMissing({ hangupCause: 'NETWORK_OUT_OF_ORDER' }, 0)).toBe(1);
  expect(declaredMissing({ hangupCause: 'NETWORK_OUT_OF_ORDER' }, 7)).toBe(7);
  expect(declaredMissing({ hangupCause: 'NORMAL_CLEARING' }, 0)).toBe(0);
});

import { reachedLimits } from './call-writer';

test('each account gets its remaining calls, first come, first served', () => {
  const calls = new Map([
    [1, { live: 8, maximum: 10 }],
    [2, { live: 10, maximum: 10 }],
    [3, { live: 10, maximum: 11 }],
    // The limit was lowered.
    [4, { live: 7, maximum: 5 }],
  ]);
  const admitted = undefined;
  expect(reachedLimits([1, 2, 1, 3, 4, 1, 1], calls)).toEqual([admitted, 10, admitted, admitted, 5, 10, 10]);
});

test('without a limit all calls are admitted', () => {
  expect(reachedLimits([1, 1], new Map([[1, { live: 0, maximum: 0 }]]))).toEqual([undefined, undefined]);
});

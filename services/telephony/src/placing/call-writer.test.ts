import { admittedOf } from './call-writer';

test('each account gets its remaining calls, first come, first served', () => {
  const live = new Map([
    [1, 8],
    [2, 10],
  ]);
  expect(admittedOf([1, 2, 1, 3, 1, 1], live, 10)).toEqual([true, false, true, true, false, false]);
  expect(live.get(1)).toBe(8);
});

test('without a limit all calls are admitted', () => {
  expect(admittedOf([1, 1], new Map([[1, 5]]), 0)).toEqual([true, true]);
});

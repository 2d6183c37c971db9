import { shareOf } from './leadership';

describe('the share of a replica', () => {
  it.each([
    [1, [8]],
    [3, [3, 3, 2]],
    [4, [2, 2, 2, 2]],
    [5, [2, 2, 2, 1, 1]],
    [8, [1, 1, 1, 1, 1, 1, 1, 1]],
    [9, [1, 1, 1, 1, 1, 1, 1, 1, 0]],
  ])('of %d and eight parts is even', (replicas, shares) => {
    expect(shares.map((_, rank) => shareOf(8, { replicas, rank }))).toEqual(shares);
  });
});

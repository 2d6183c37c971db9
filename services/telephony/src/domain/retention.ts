/** Of two times in days the one that ends first; 0 is for ever. */
export const shorterOf = (one: number, other: number): number =>
  one === 0 || other === 0 ? one + other : Math.min(one, other);

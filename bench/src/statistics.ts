export interface Welch {
  t: number;
  degrees: number;
}

/** Welch's t-test: whether two samples of unequal spread may have the same mean. */
export function welch(a: readonly number[], b: readonly number[]): Welch {
  const [x, y] = [spread(a), spread(b)];
  const error = x.errorSquared + y.errorSquared;
  return {
    t: (x.mean - y.mean) / Math.sqrt(error),
    degrees: error ** 2 / (x.errorSquared ** 2 / (a.length - 1) + y.errorSquared ** 2 / (b.length - 1)),
  };
}

/** The mean and the square of its standard error. */
function spread(values: readonly number[]): { mean: number; errorSquared: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, errorSquared: variance / values.length };
}

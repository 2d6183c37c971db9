const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** The pause before the given attempt, counted from 1; random, so that the phones of a restarted gateway do not come all at once. */
export function pauseBefore(attempt: number, random: () => number = Math.random): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.round(most * (0.5 + random() / 2));
}

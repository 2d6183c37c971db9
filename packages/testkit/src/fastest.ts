/**
 * Milliseconds of the fastest of several tries. Promises of a time are compared with this: other work of the machine slows
 * some of the tries, and says nothing about our code.
 */
export async function fastest(tries: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let nth = 0; nth < tries; nth += 1) {
    const begun = performance.now();
    await work();
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}

/** Resolves when the promise settles, either way, or after the time. For steps of a shutdown that must not hold it up. */
export async function atMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise.catch(() => undefined), over]);
  clearTimeout(timer);
}

/** Resolves when the promise settles, either way, or after the time. For what must not hold up the next step. */
export async function atMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise.catch(() => undefined), over]);
  clearTimeout(timer);
}

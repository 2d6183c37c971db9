/** Resolves when the promise settles, either way, or when the time is over. For farewells, which must not hold up an end. */
export async function atMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise.catch(() => undefined), over]);
  clearTimeout(timer);
}

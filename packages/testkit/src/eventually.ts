import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  /** Three minutes unless given: for what never happens. A slow machine is no reason to fail. */
  timeoutMs?: number;
  intervalMs?: number;
}

/** Repeats the probe until it neither throws nor returns undefined or false, and returns its result. */
export async function eventually<T>(
  probe: () => Promise<T> | T,
  patience: Patience = {},
): Promise<Exclude<T, undefined | false>> {
  const { timeoutMs = 180_000, intervalMs = 50 } = patience;
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    let reason: unknown;
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
      reason = new Error(`the probe still answered ${String(answer)}`);
    } catch (error) {
      reason = error;
    }
    if (Date.now() > giveUpAt) {
      const message = reason instanceof Error ? reason.message : String(reason);
      throw new Error(`not within ${timeoutMs} ms: ${message}`, { cause: reason });
    }
    await delay(intervalMs);
  }
}

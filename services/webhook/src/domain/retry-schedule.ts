const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits between the attempts; after the last one a delivery is dead. */
export const retryWaitsMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

export const longestRetryAfterMs = 24 * hour;

/** Up to a tenth more or less, so that deliveries that failed together are not retried together. */
const jitterShare = 0.1;

/**
 * The wait after so many failures; undefined when there is no further attempt. Retry-After is a lower bound: no attempt comes before
 * the time it names, and a receiver that names short times does not use up the schedule in a minute.
 */
export function nextWaitMs(
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const planned = retryWaitsMs[failures - 1];
  if (planned === undefined) {
    return undefined;
  }
  const spread = planned * jitterShare;
  const wait = Math.round(planned - spread + 2 * spread * random());
  return Math.max(wait, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}

/** Seconds or an HTTP date. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) {
    return Number(text) * second;
  }
  const at = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

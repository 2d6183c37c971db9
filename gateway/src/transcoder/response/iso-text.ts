const DAY_MS = 86_400_000;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** The latest and, negative, the earliest time of a Date. */
const LARGEST_TIME_MS = 8.64e15;

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
let lastDay = -1;
/** "2025-01-02T" of lastDay. */
let lastDate = '';

/**
 * The same text as toISOString, which takes most of the time that a list of calls needs:
 * consecutive times are mostly of the same day, so only hours to milliseconds are formatted. Undefined for a time that no Date can hold.
 */
export function isoText(ms: number): string | undefined {
  if (!(ms >= 0 && ms <= LAST_MS)) {
    return Math.abs(ms) <= LARGEST_TIME_MS ? new Date(ms).toISOString() : undefined;
  }
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = new Date(ms).toISOString().slice(0, 11);
  }
  const rest = ms - day * DAY_MS;
  const seconds = Math.floor(rest / 1000);
  const hour = twoDigits[Math.floor(seconds / 3600)]!;
  const minute = twoDigits[Math.floor(seconds / 60) % 60]!;
  const thousandths = rest % 1000;
  return `${lastDate}${hour}:${minute}:${twoDigits[seconds % 60]!}.${Math.floor(thousandths / 100)}${twoDigits[thousandths % 100]!}Z`;
}

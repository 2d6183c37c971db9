/** The day that it is at a moment in a zone, as YYYY-MM-DD. */
export function dayIn(timeZone: string, moment: number | Date): string {
  // Swedish writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(moment);
}

/** Counts in calendar days, of which some have 23 or 25 hours. A negative count leads back. */
export function daysAfter(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}

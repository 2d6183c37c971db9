/** The zone in which the API says what today is (decisions on charges). */
const CHARGE_ZONE = 'America/Sao_Paulo';
const LONGEST_DAYS = 7;

/** The latest due date that a charge may have, as YYYY-MM-DD. */
export function latestDueDate(now: Date): string {
  // Sweden writes dates as ISO 8601 does.
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: CHARGE_ZONE, dateStyle: 'short' }).format(now);
  const due = new Date(`${today}T00:00:00Z`);
  due.setUTCDate(due.getUTCDate() + LONGEST_DAYS);
  return due.toISOString().slice(0, 10);
}

/** The spans that the overview shows. */
export const periods = ['today', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

const daysOf: Record<Period, number> = { today: 1, week: 7, month: 30 };

export function readPeriod(text: string | null): Period {
  return periods.find((period) => period === text) ?? 'today';
}

/** Calendar days of the account's zone, today included. */
export function boundsOf(period: Period, timeZone: string, now: Date): { startDate: string; endDate: string } {
  const today = dayOf(now, timeZone);
  const first = new Date(`${today}T00:00:00Z`);
  first.setUTCDate(first.getUTCDate() - (daysOf[period] - 1));
  return { startDate: first.toISOString().slice(0, 10), endDate: today };
}

function dayOf(at: Date, timeZone: string): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

import { dayIn, daysAfter } from '../../i18n/days';

/** The spans that the overview shows. */
export const periods = ['today', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

const daysOf: Record<Period, number> = { today: 1, week: 7, month: 30 };

export function readPeriod(text: string | null): Period {
  return periods.find((period) => period === text) ?? 'today';
}

/** Calendar days of the account's zone, today included. */
export function boundsOf(period: Period, timeZone: string, now: Date): { startDate: string; endDate: string } {
  const today = dayIn(timeZone, now);
  return { startDate: daysAfter(today, 1 - daysOf[period]), endDate: today };
}

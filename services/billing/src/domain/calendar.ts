/** Charges use the calendar of Brasília time, wherever the server runs. */
export const chargeTimeZone = 'America/Sao_Paulo';

const DAY_MS = 86_400_000;
const dayFormat = new Intl.DateTimeFormat('en-CA', {
  timeZone: chargeTimeZone,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});
const offsetFormat = new Intl.DateTimeFormat('en-US', { timeZone: chargeTimeZone, timeZoneName: 'longOffset' });

/** The calendar day, YYYY-MM-DD, that it is in São Paulo at that moment. */
export function dayOf(moment: Date): string {
  return dayFormat.format(moment);
}

/** Midnight UTC of a real calendar day; undefined for 2026-02-30 and everything that is not YYYY-MM-DD. */
export function parseDay(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    return undefined;
  }
  const date = new Date(`${text}T00:00:00.000Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text ? undefined : date;
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** The moment at which a day begins in São Paulo. */
export function startOfDay(day: string): Date {
  const noon = new Date(`${day}T12:00:00Z`);
  const zone = offsetFormat.formatToParts(noon).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  return new Date(`${day}T00:00:00.000${zone === 'GMT' ? 'Z' : zone.slice(3)}`);
}

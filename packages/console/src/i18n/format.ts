import { getLocale } from '../paraglide/runtime';

/** Times are shown in the account's zone, and name it where the reader could be elsewhere. */
const fallbackZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let zone = fallbackZone;

export function setTimeZone(timeZone: string | undefined): void {
  zone = timeZone ?? fallbackZone;
}

export function timeZone(): string {
  return zone;
}

/** The account's zone, or another, as people call it: "Horário de Brasília (GMT-3)". */
export function zoneName(timeZone: string = zone): string {
  const nameIn = (timeZoneName: 'long' | 'shortOffset') =>
    kept(Intl.DateTimeFormat, { timeZone, timeZoneName })
      .formatToParts()
      .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  // Only where there is a summer time is the other one called standard.
  const name = nameIn('long').replace(/Padrão |Standard /, '');
  const offset = nameIn('shortOffset');
  return name.startsWith('GMT') ? offset : `${name} (${offset})`;
}

const formats = new Map<string, unknown>();

/** A format takes far longer to make than to use, and a list has hundreds of values. */
function kept<Options extends object, Format>(
  Type: new (locale: string, options: Options) => Format,
  options: Options,
): Format {
  const name = JSON.stringify([Type.name, getLocale(), options]);
  if (!formats.has(name)) formats.set(name, new Type(getLocale(), options));
  return formats.get(name) as Format;
}

export function formatDateTime(iso: string, options: Intl.DateTimeFormatOptions = {}): string {
  const defaults: Intl.DateTimeFormatOptions = { dateStyle: 'short', timeStyle: 'medium' };
  const chosen = Object.keys(options).length === 0 ? defaults : options;
  return kept(Intl.DateTimeFormat, { timeZone: zone, ...chosen }).format(new Date(iso));
}

export function formatTime(iso: string): string {
  return formatDateTime(iso, { timeStyle: 'medium' });
}

/** A day of the calendar, which the API writes as its midnight in UTC: it is the same day in every zone. */
export function formatDay(iso: string): string {
  return formatDateTime(iso, { dateStyle: 'long', timeZone: 'UTC' });
}

export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return kept(Intl.NumberFormat, options).format(value);
}

/** Reais, with up to four decimals where the price has them. */
export function formatMoney(reais: number): string {
  return formatNumber(reais, {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  });
}

/** 75 → 1:15, 3675 → 1:01:15 */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}

/** "3 minutes ago", for what happened lately. */
export function formatAgo(iso: string, now: number): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  const relative = new Intl.RelativeTimeFormat(getLocale(), { numeric: 'auto' });
  const size = Math.abs(seconds);
  if (size < 60) return relative.format(seconds, 'second');
  if (size < 3600) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return relative.format(Math.round(seconds / 3600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}

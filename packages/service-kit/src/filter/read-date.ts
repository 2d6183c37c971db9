import type { Moment } from './checked-filter';

/** A date-only bound means the whole day: from its first moment until, not including, the first of the next. */
export interface Span {
  from: Moment;
  until?: Moment;
}

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const dayMs = 24 * 60 * 60 * 1000;

/** Undefined when the value is no date. Years 1 to 9999 only, which both JavaScript and PostgreSQL can count. */
export function readDate(value: unknown): Span | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^-?\d{9,15}$/.test(value))) {
    return readEpoch(Number(value));
  }
  if (typeof value !== 'string') {
    return undefined;
  }
  const match = pattern.exec(value.trim());
  if (match === null) {
    return undefined;
  }
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = match;
  const date = `${year}-${month}-${day}`;
  if (!isCalendarDate(date)) {
    return undefined;
  }
  if (hour === undefined || minute === undefined) {
    return { from: { local: date }, until: { local: dayAfter(date) } };
  }
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return undefined;
  }
  const local = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 6).padEnd(3, '0')}`;
  if (zone === undefined) {
    return { from: { local } };
  }
  return isOffset(zone) ? { from: { instant: `${local}${zone.toUpperCase()}` } } : undefined;
}

function readEpoch(milliseconds: number): Span | undefined {
  const date = new Date(Math.trunc(milliseconds));
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? { from: { instant: date.toISOString() } } : undefined;
}

function isCalendarDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === date && !date.startsWith('0000');
}

function dayAfter(date: string): string {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + dayMs).toISOString();
  // 9999-12-31: toISOString writes the year 10000 with a sign and six digits.
  return next.startsWith('+') ? '10000-01-01' : next.slice(0, 10);
}

/** No place on earth is further from UTC than fourteen hours; PostgreSQL accepts up to sixteen. */
function isOffset(zone: string): boolean {
  if (zone.toUpperCase() === 'Z') {
    return true;
  }
  const [, hours, minutes = '00'] = /^[+-](\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return Number(hours) <= 14 && Number(minutes) <= 59;
}

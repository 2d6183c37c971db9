import type { ListedCall } from './call';
import { createLocalTime } from './local-time';

type Value = string | number | null;
type Column = [heading: string, value: (call: ListedCall, localTime: (moment: Date) => string) => Value];

const columns: Column[] = [
  ['id', ({ id }) => id],
  ['call_type', ({ type }) => type],
  ['status', ({ status }) => status],
  ['started_at', ({ startedAt }, localTime) => localTime(startedAt)],
  ['answered_at', ({ answeredAt }, localTime) => answeredAt && localTime(answeredAt)],
  ['ended_at', ({ endedAt }, localTime) => endedAt && localTime(endedAt)],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['duration', ({ duration }) => duration],
  ['billed_seconds', ({ billedSeconds }) => billedSeconds],
  ['hangup_cause', ({ hangupCause }) => hangupCause],
  ['minute_price', ({ minutePrice }) => minutePrice && minutePrice / 10_000],
  ['call_price', ({ callPrice }) => callPrice && callPrice / 10_000],
  ['first_name', ({ firstName }) => firstName],
  ['last_name', ({ lastName }) => lastName],
  ['email', ({ email }) => email],
  ['BINA', ({ bina }) => bina],
  ['record_url', ({ recordUrl }) => recordUrl],
  ['metadata', ({ metadata }) => metadata],
];

/** With the mark by which spreadsheets know UTF-8. */
export const csvHeadings = `\uFEFF${columns.map(([heading]) => heading).join(',')}\r\n`;

/** Lines as RFC 4180 has them. */
export function createCsvLines(timeZone: string): (call: ListedCall) => string {
  const localTime = createLocalTime(timeZone);
  return (call) => `${columns.map(([, value]) => cellOf(value(call, localTime))).join(',')}\r\n`;
}

/**
 * Where a spreadsheet would take what follows for a formula and run it: at the start, and after whatever may begin a cell. In many
 * languages that is a semicolon instead of the comma, with or without a quotation mark.
 */
const formula = /(^|[;\t\r\n]"?)(?=[=+\-@])|^(?=[\t\r])/g;

function cellOf(value: Value): string {
  if (typeof value !== 'string') {
    return value === null ? '' : String(value);
  }
  // The apostrophe makes it text; it is the usual protection, and a reader can take it off again.
  const text = value.replace(formula, "$1'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

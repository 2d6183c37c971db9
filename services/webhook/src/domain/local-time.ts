export const defaultTimeZone = 'America/Sao_Paulo';

const formats = new Map<string, Intl.DateTimeFormat>();

/** YYYY-MM-DD HH:MM:SS as the clock on the account's wall showed it. */
export function writeTime(at: Date, timeZone: string): string {
  return formatOf(timeZone === '' ? defaultTimeZone : timeZone).format(at);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) {
    return known;
  }
  let format: Intl.DateTimeFormat;
  try {
    // Swedish writes dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  } catch {
    format = formatOf(defaultTimeZone);
  }
  formats.set(timeZone, format);
  return format;
}

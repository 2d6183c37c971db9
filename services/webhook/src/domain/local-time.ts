export const defaultTimeZone = 'America/Sao_Paulo';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Recently formatted times by zone and second: events of one moment contain the same few times over and over. */
const written = new Map<string, Map<number, string>>();
const mostWritten = 1_000;

/** YYYY-MM-DD HH:MM:SS in the time zone of the account. */
export function writeTime(at: Date, timeZone: string): string {
  const second = Math.floor(at.getTime() / 1000);
  let texts = written.get(timeZone);
  if (texts === undefined || texts.size >= mostWritten) {
    texts = new Map();
    written.set(timeZone, texts);
  }
  let text = texts.get(second);
  if (text === undefined) {
    text = formatOf(timeZone === '' ? defaultTimeZone : timeZone).format(at);
    texts.set(second, text);
  }
  return text;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) {
    return known;
  }
  let format: Intl.DateTimeFormat;
  try {
    // The Swedish format of a date is that of ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  } catch {
    format = formatOf(defaultTimeZone);
  }
  formats.set(timeZone, format);
  return format;
}

/** The offset of a zone changes at a quarter of an hour, if at all. */
const QUARTER_MS = 15 * 60 * 1000;

/** Writes moments in a time zone, ISO 8601 with its offset: 2026-03-10T15:00:00.000-03:00. */
export function createLocalTime(timeZone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timeZone || 'UTC', timeZoneName: 'longOffset' });
  const known = new Map<number, string>();

  function offsetAt(moment: Date): string {
    const quarter = Math.floor(moment.getTime() / QUARTER_MS);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = /GMT([+-]\d{2}:\d{2})/.exec(format.format(moment))?.[1] ?? '+00:00';
      known.set(quarter, offset);
    }
    return offset;
  }

  return (moment) => {
    const offset = offsetAt(moment);
    const [hours, minutes] = offset.slice(1).split(':').map(Number) as [number, number];
    const milliseconds = (hours * 60 + minutes) * 60_000 * (offset.startsWith('-') ? -1 : 1);
    return new Date(moment.getTime() + milliseconds).toISOString().slice(0, -1) + offset;
  };
}

import { firstIdOf, momentOf } from './time-in-ids';

/** The order of ids is that of their texts. */
function leastAndGreatest(ids: string[]): [string | null, string | null] {
  const sorted = ids.map((id) => id.toLowerCase()).sort();
  return [sorted[0] ?? null, sorted.at(-1) ?? null];
}

/** The months that a statement is about, as constants in its text: it is planned once for their partitions, and then stays prepared. */
export interface Months {
  /** SQL: a condition that holds for the ids of these months. */
  hold: (id: string) => string;
  /** The name of the statement, which has another text for other months. */
  nameOf: (statement: string) => string;
}

/** A connection keeps what was prepared on it: ids that are older share one statement for all months. */
const OLDEST_MONTHS = 60;
const DAY_MS = 86_400_000;

/** The first moment of a month, counted from that of the moment. */
export const monthFrom = (moment: Date, months: number): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + months));

const allMonths: Months = { hold: () => 'true', nameOf: (statement) => statement };

function monthsBetween(from: Date, until: Date): Months {
  const [least, end] = [firstIdOf(from), firstIdOf(until)];
  const span = [from, until].map((month) => month.toISOString().slice(0, 7)).join(' ');
  return {
    hold: (id) => `${id} >= '${least}'::uuid AND ${id} < '${end}'::uuid`,
    nameOf: (statement) => `${statement} ${span}`,
  };
}

/** The numbers of months that statements are about: few, so that few are prepared. */
const SPANS = [1, 2, 4, 8, 16];

/** The months of these ids, and some before them; of ids that are far apart all that there are. */
export function monthsOf(ids: string[], now = new Date()): Months {
  const [least, greatest] = leastAndGreatest(ids);
  if (least === null || greatest === null || momentOf(greatest) >= endOfIds(now)) {
    return allMonths;
  }
  const [first, until] = [momentOf(least), monthFrom(momentOf(greatest), 1)];
  const from = SPANS.map((span) => monthFrom(until, -span)).find((month) => month <= first);
  return from === undefined || first < monthFrom(now, -OLDEST_MONTHS) ? allMonths : monthsBetween(from, until);
}

/** The last month and this one, in which whoever calls has mostly made a page of calls. */
export const recentMonths = (now = new Date()): Months => monthsBetween(monthFrom(now, -1), endOfIds(now));

/** All months before those of `recentMonths`. */
export const olderMonths = (now = new Date()): Months => monthsBetween(new Date(0), monthFrom(now, -1));

/** The clocks of replicas differ: an id may be of the month that begins tomorrow. */
const endOfIds = (now: Date): Date => monthFrom(new Date(now.getTime() + DAY_MS), 1);

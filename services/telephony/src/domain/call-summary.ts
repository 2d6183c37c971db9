import { badRequest } from '@sabia/service-kit/errors';
import type { HangupCause } from './hangup-cause';

export type Interval = 'hour' | 'day';

export interface Span {
  from: Date;
  /** Not included. */
  until: Date;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** A day in which clocks are set back has 25 hours. */
const clockChangeMs = hourMs;

const longestSpanDays = 92;
const longestHourlyDays = 31;
const hourlyByDefaultDays = 3;

/** Hours where nobody asks for days and there are few of them; spans that are too long to be read in a moment are refused. */
export function intervalFor({ from, until }: Span, asked: Interval | undefined): Interval {
  const length = until.getTime() - from.getTime();
  const isWithin = (days: number): boolean => length <= days * dayMs + clockChangeMs;
  if (length <= 0) {
    throw badRequest('INVALID_FILTER', 'Invalid filter: "endDate" is before "startDate".');
  }
  if (!isWithin(longestSpanDays)) {
    throw badRequest('INVALID_FILTER', `Invalid filter: a summary covers at most ${longestSpanDays} days.`);
  }
  if (asked === 'hour' && !isWithin(longestHourlyDays)) {
    throw badRequest('INVALID_FILTER', `Invalid filter: a summary by hour covers at most ${longestHourlyDays} days.`);
  }
  return asked ?? (isWithin(hourlyByDefaultDays) ? 'hour' : 'day');
}

/** What is counted of the calls of one interval that ended with one cause. */
export interface Counts {
  calls: number;
  live: number;
  answered: number;
  /** Answered and ended. */
  talked: number;
  talkSeconds: number;
  /** 1/10000 real. */
  spend: number;
  /** Outbound and ended. */
  outbound: number;
  /** Of these: not answered, or answered for no longer than `shortCallSeconds`. */
  shortCalls: number;
  shortAnswered: number;
}

export interface Cell extends Counts {
  at: Date;
  /** Null: live calls, or none at all. */
  cause: HangupCause | null;
}

/**
 * Anatel's measure of abusive calls counts outbound calls that were not completed or ended within six seconds; operators block callers
 * nearly all of whose calls are short.
 */
export const shortCallSeconds = 6;

export interface Figures extends Omit<Counts, 'talked'> {
  answerRate: number | undefined;
  averageDuration: number | undefined;
  shortShare: number | undefined;
}

export interface CallSummary {
  total: Figures;
  buckets: (Figures & { at: Date })[];
  causes: { cause: HangupCause; calls: number }[];
}

/** Folds the cells, which are in order of time and hold at least one for every interval. */
export function summarize(cells: Cell[]): CallSummary {
  const total = nothing();
  const byTime = new Map<number, Counts>();
  const byCause = new Map<HangupCause, number>();
  for (const { at, cause, ...counts } of cells) {
    const bucket = byTime.get(at.getTime()) ?? nothing();
    byTime.set(at.getTime(), bucket);
    add(total, counts);
    add(bucket, counts);
    if (cause !== null) {
      byCause.set(cause, (byCause.get(cause) ?? 0) + counts.calls);
    }
  }
  return {
    total: figuresOf(total),
    buckets: [...byTime].map(([at, counts]) => ({ at: new Date(at), ...figuresOf(counts) })),
    causes: [...byCause]
      .map(([cause, calls]) => ({ cause, calls }))
      .sort((one, other) => other.calls - one.calls || one.cause.localeCompare(other.cause)),
  };
}

const nothing = (): Counts => ({
  calls: 0,
  live: 0,
  answered: 0,
  talked: 0,
  talkSeconds: 0,
  spend: 0,
  outbound: 0,
  shortCalls: 0,
  shortAnswered: 0,
});

function add(sum: Counts, counts: Counts): void {
  for (const name of Object.keys(sum) as (keyof Counts)[]) {
    sum[name] += counts[name];
  }
}

const figuresOf = ({ talked, ...counts }: Counts): Figures => ({
  ...counts,
  answerRate: ratio(counts.answered, counts.calls),
  averageDuration: ratio(counts.talkSeconds, talked),
  shortShare: ratio(counts.shortCalls, counts.outbound),
});

/** To four decimals; undefined where there is nothing to divide by. */
const ratio = (part: number, whole: number): number | undefined =>
  whole === 0 ? undefined : Math.round((part / whole) * 10_000) / 10_000;

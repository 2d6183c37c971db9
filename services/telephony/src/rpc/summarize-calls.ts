import { HangupCause, SummarizeCallsResponse, SummaryInterval } from '@sabia/protos/sabia/telephony/v1/messages';
import { readDate } from '@sabia/service-kit/filter/read-date';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { intervalFor, summarize } from '../domain/call-summary';
import type { Interval, Span } from '../domain/call-summary';
import { readCells, resolveSpan } from '../storage/call-summary';
import { readCallFilter } from './call-filter';
import type { Dependencies, Handler } from './dependencies';

const currency = 'BRL';

const intervals: Partial<Record<SummaryInterval, Interval>> = {
  [SummaryInterval.HOUR]: 'hour',
  [SummaryInterval.DAY]: 'day',
};

export function summarizeCalls({ database, now }: Dependencies): Handler<'summarizeCalls'> {
  return async ({ startDate: start, endDate: end, filter: text, interval: asked }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const startDate = start?.trim() || dayOf(now(), timeZone);
    const endDate = end?.trim() || now().toISOString();
    const filter = readCallFilter({ timeZone, filter: text, startDate, endDate });
    const span = await spanOf(startDate, endDate, filter.timeZone);
    const interval = intervalFor(span, asked === undefined ? undefined : intervals[asked]);
    const { total, buckets, causes } = summarize(await readCells(database, { accountId, filter, span, interval }));
    return SummarizeCallsResponse.fromPartial({
      startDate: span.from,
      endDate: span.until,
      timeZone: filter.timeZone,
      interval: interval === 'hour' ? SummaryInterval.HOUR : SummaryInterval.DAY,
      currency,
      total,
      buckets,
      causes: causes.map(({ cause, calls }) => ({ cause: HangupCause[cause], calls })),
    });
  };

  /** The filter has been read before, so both are dates. The moment that is an end is included, as in every list of calls. */
  async function spanOf(startDate: string, endDate: string, timeZone: string): Promise<Span> {
    const [start, end] = [readDate(startDate)!, readDate(endDate)!];
    const span = await resolveSpan(database, { from: start.from, until: end.until ?? end.from, timeZone });
    return end.until === undefined ? { ...span, until: new Date(span.until.getTime() + 1) } : span;
  }
}

/** The local date, YYYY-MM-DD. */
const dayOf = (moment: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: timeZone || 'UTC', dateStyle: 'short' }).format(moment);

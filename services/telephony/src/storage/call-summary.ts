import { compileFilter } from '@sabia/service-kit/filter/compile';
import type { CheckedFilter, Moment } from '@sabia/service-kit/filter/checked-filter';
import { readList } from '@sabia/service-kit/filter/list';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { shortCallSeconds } from '../domain/call-summary';
import type { Cell, Interval, Span } from '../domain/call-summary';
import { callResource } from './call-resource';
import { callsWithState } from './call-source';

/** PostgreSQL knows the account's time zone; JavaScript has no direct way from a local time to an instant. */
export async function resolveSpan(
  queryable: Queryable,
  { from, until, timeZone }: { from: Moment; until: Moment; timeZone: string },
): Promise<Span> {
  const parts = [from, until].flatMap((moment) =>
    'instant' in moment ? [moment.instant, null] : [null, moment.local],
  );
  const [span] = await queryable.query<Span>(
    `SELECT coalesce($1::timestamptz, $2::timestamp AT TIME ZONE $5::text) AS "from",
       coalesce($3::timestamptz, $4::timestamp AT TIME ZONE $5::text) AS until`,
    [...parts, timeZone],
    { name: 'resolve-span' },
  );
  return span!;
}

/** Of days the local midnights, since a day is not always 24 hours long; of hours the instants. */
const beginnings: Record<Interval, (from: string, until: string, zone: string) => string> = {
  day: (from, until, zone) =>
    `SELECT midnight AT TIME ZONE ${zone} AS at
     FROM generate_series(date_trunc('day', ${from} AT TIME ZONE ${zone}), ${until} AT TIME ZONE ${zone}, '1 day') AS midnight
     WHERE midnight < ${until} AT TIME ZONE ${zone}`,
  hour: (from, until, zone) =>
    `SELECT at FROM generate_series(date_trunc('hour', ${from}, ${zone}), ${until}, '1 hour') AS at WHERE at < ${until}`,
};

export interface SummaryRequest {
  accountId: number;
  /** Has the bounds of the span among its conditions. */
  filter: CheckedFilter;
  span: Span;
  interval: Interval;
}

const outbound = `call_type = 'outbound'`;
const short = `duration <= ${shortCallSeconds}`;

/** One pass over the calls of the span, found through the order of their ids; every interval has at least one row. */
export async function readCells(database: Database, request: SummaryRequest): Promise<Cell[]> {
  const { accountId, filter, span, interval } = request;
  const { where, values, whereCount } = compileFilter(callResource, filter, accountId);
  const given = values.slice(0, whereCount);
  const bind = (value: unknown, type: string): string => `$${given.push(value)}::${type}`;
  const [zone, from, until] = [
    bind(filter.timeZone, 'text'),
    bind(span.from, 'timestamptz'),
    bind(span.until, 'timestamptz'),
  ];
  const text = `
    WITH cells AS (
      SELECT date_trunc('${interval}', started_at, ${zone}) AS at, hangup_cause AS cause, count(*) AS calls,
        count(*) FILTER (WHERE ended_at IS NULL) AS live,
        count(answered_at) AS answered,
        count(ended_at) FILTER (WHERE answered_at IS NOT NULL) AS talked,
        sum(duration) AS "talkSeconds",
        (sum(call_price) * 10000)::bigint AS spend,
        count(ended_at) FILTER (WHERE ${outbound}) AS outbound,
        count(ended_at) FILTER (WHERE ${outbound} AND ${short}) AS "shortCalls",
        count(answered_at) FILTER (WHERE ${outbound} AND ${short}) AS "shortAnswered"
      FROM ${callsWithState} WHERE ${where} GROUP BY 1, 2
    ), buckets AS (${beginnings[interval](from, until, zone)})
    SELECT at, cause, ${sums}
    FROM buckets LEFT JOIN cells USING (at) ORDER BY at`;
  return readList(database, 'costly', filter, (reader) => reader.query<Cell>(text, given));
}

const sums = ['calls', 'live', 'answered', 'talked', 'talkSeconds', 'spend', 'outbound', 'shortCalls', 'shortAnswered']
  .map((name) => `coalesce("${name}", 0) AS "${name}"`)
  .join(', ');

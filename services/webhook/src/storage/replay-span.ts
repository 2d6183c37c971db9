import type { Moment } from '@sabia/service-kit/filter/checked-filter';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { ReplayWish } from '../domain/replay-span';
import type { ReplaySpan } from './replay-deliveries';

/** PostgreSQL knows when a day begins in a time zone, also when clocks change. */
export async function resolveReplay(db: Queryable, wish: ReplayWish, timeZone: string): Promise<ReplaySpan> {
  const { from, to, status } = wish;
  const end = to && ('until' in to ? to.until : to.last);
  const [row] = await db.query<{ from: Date | null; end: Date | null }>(
    `SELECT coalesce($1::timestamptz, $2::timestamp AT TIME ZONE $5::text) AS "from",
       coalesce($3::timestamptz, $4::timestamp AT TIME ZONE $5::text) AS "end"`,
    [...parts(from), ...parts(end), timeZone],
  );
  const last = row?.end && to && 'until' in to ? justBefore(row.end) : row?.end;
  return { from: row?.from ?? undefined, to: last ?? undefined, status };
}

const parts = (moment: Moment | undefined): [instant: string | null, local: string | null] => {
  if (moment === undefined) {
    return [null, null];
  }
  return 'instant' in moment ? [moment.instant, null] : [null, moment.local];
};

/** Times of deliveries have milliseconds. */
const justBefore = (moment: Date): Date => new Date(moment.getTime() - 1);

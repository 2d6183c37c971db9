import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, OrderTerm } from '@sabia/service-kit/filter/checked-filter';
import { dateBounds } from '@sabia/service-kit/filter/date-bounds';
import type { DateBounds } from '@sabia/service-kit/filter/date-bounds';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { callResource } from '../storage/call-resource';

/** What clients may send to select calls, in every route that reads many of them. */
export interface CallFilterRequest extends DateBounds {
  timeZone: string;
  filter: string | undefined;
}

export function readCallFilter({ filter: text, timeZone, ...bounds }: CallFilterRequest): CheckedFilter {
  const filter = readFilter(callResource, text, timeZone);
  const conditions = filter.where === undefined ? [] : [filter.where];
  return {
    ...filter,
    where: allOf([...conditions, ...dateBounds(callResource, 'started_at', bounds, timeZone)]),
    order: isNewestFirst(filter.order) ? undefined : filter.order,
  };
}

/** Newest first is the default order, even if asked for explicitly; further order terms make no difference then. */
function isNewestFirst([first]: OrderTerm[] = []): boolean {
  return first?.descending === true && ['id', 'started_at'].includes(first.target.field.name);
}

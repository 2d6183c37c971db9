import { badRequest } from '@sabia/service-kit/errors';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, Condition, OrderTerm } from '@sabia/service-kit/filter/checked-filter';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { callResource } from '../storage/call-resource';

/** What clients may send to select calls, in every route that reads many of them. */
export interface CallFilterRequest {
  timeZone: string;
  filter: string | undefined;
  startDate: string | undefined;
  endDate: string | undefined;
}

export function readCallFilter({ filter: text, timeZone, startDate, endDate }: CallFilterRequest): CheckedFilter {
  const filter = readFilter(callResource, text, timeZone);
  const conditions = [filter.where, bound('gte', startDate, timeZone), bound('lte', endDate, timeZone)];
  return {
    ...filter,
    where: allOf(conditions.filter((condition): condition is Condition => condition !== undefined)),
    order: isNewestFirst(filter.order) ? undefined : filter.order,
  };
}

/** Newest first is the default order, even if asked for explicitly; further order terms make no difference then. */
function isNewestFirst([first]: OrderTerm[] = []): boolean {
  return first?.descending === true && ['id', 'started_at'].includes(first.target.field.name);
}

/** A date in a query parameter is read exactly like one in a filter. */
function bound(operator: 'gte' | 'lte', date: string | undefined, timeZone: string): Condition | undefined {
  if (date === undefined || date.trim() === '') {
    return undefined;
  }
  try {
    const where = { started_at: { [operator]: date.trim() } };
    return readFilter(callResource, JSON.stringify({ where }), timeZone).where;
  } catch {
    const name = operator === 'gte' ? 'startDate' : 'endDate';
    throw badRequest('INVALID_FILTER', `Invalid filter: "${name}" is not a date (ISO 8601).`);
  }
}

import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { badRequest } from '@sabia/service-kit/errors';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, Condition, OrderTerm } from '@sabia/service-kit/filter/checked-filter';
import { pageMeta } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import type { Database } from '@sabia/service-kit/postgres/database';
import { readPage } from '../storage/call-pages';
import { callResource } from '../storage/call-resource';
import type { CallRows } from '../storage/call-rows';

export interface CallListRequest {
  accountId: number;
  timeZone: string;
  filter: string | undefined;
  startDate: string | undefined;
  endDate: string | undefined;
  page: number;
}

/** Reads the calls of the page and resolves to the page's metadata. */
export async function listCalls(database: Database, request: CallListRequest, rows: CallRows): Promise<PageMeta> {
  const { accountId, page } = request;
  const filter = readRequest(request);
  const start = Math.min(filter.offset + (page - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const total = await readPage(database, { accountId, filter, start }, rows);
  return pageMeta({ total, page, limit: filter.limit, offset: filter.offset });
}

function readRequest({ filter: text, timeZone, startDate, endDate }: CallListRequest): CheckedFilter {
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

import { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { badRequest } from '../errors';
import type { Database } from '../postgres/database';
import { costOf } from './cost';
import { countRows, readList, selectRows } from './list';
import type { ListOptions } from './list';
import type { Resource } from './resource';

export interface PageOptions extends ListOptions {
  /** From 1 on. */
  page: number;
  /** A maintained counter, asked instead of counting when the filter has no `where`. */
  countAll?: () => Promise<number>;
}

export async function listPage<R extends object>(
  database: Database,
  resource: Resource,
  options: PageOptions,
): Promise<{ rows: R[]; meta: PageMeta }> {
  const { filter, page, countAll } = options;
  const start = Math.min(filter.offset + (page - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const [rows, total] = await readList(database, costOf(resource, filter, start), filter, (reader) =>
    Promise.all([
      selectRows<R>(reader, resource, options, start),
      filter.where === undefined && countAll !== undefined ? countAll() : countRows(reader, resource, options),
    ]),
  );
  return { rows, meta: pageMeta({ total, page, limit: filter.limit, offset: filter.offset }) };
}

/** The gateway reads a missing page as the first. */
export function readPage(page: number | undefined): number {
  const number = page ?? 1;
  if (number < 1) {
    throw badRequest('INVALID_PAGE', 'page must be a whole number from 1 on.');
  }
  return number;
}

/** `offset` shifts the start before pages are counted; `totalItemCount` stays the number of matches. */
export function pageMeta(given: { total: number; page: number; limit: number; offset: number }): PageMeta {
  const { total, page, limit, offset } = given;
  const totalPageCount = Math.ceil(Math.max(0, total - offset) / limit);
  const previousPage = Math.min(page - 1, totalPageCount);
  return PageMeta.fromPartial({
    totalItemCount: total,
    totalPageCount,
    itemsPerPage: limit,
    currentPage: page,
    nextPage: page < totalPageCount ? page + 1 : undefined,
    previousPage: previousPage >= 1 ? previousPage : undefined,
  });
}

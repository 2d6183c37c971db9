import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { pageMeta } from '@sabia/service-kit/filter/page';
import type { Database } from '@sabia/service-kit/postgres/database';
import { readPage } from '../storage/call-pages';
import type { CallRows } from '../storage/call-rows';
import { readCallFilter } from './call-filter';
import type { CallFilterRequest } from './call-filter';

export interface CallListRequest extends CallFilterRequest {
  accountId: number;
  page: number;
}

/** Reads the calls of the page and resolves to the page's metadata. */
export async function listCalls(database: Database, request: CallListRequest, rows: CallRows): Promise<PageMeta> {
  const { accountId, page } = request;
  const filter = readCallFilter(request);
  const start = Math.min(filter.offset + (page - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const total = await readPage(database, { accountId, filter, start }, rows);
  return pageMeta({ total, page, limit: filter.limit, offset: filter.offset });
}

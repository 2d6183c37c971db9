import { compileFilter } from '@sabia/service-kit/filter/compile';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, Condition } from '@sabia/service-kit/filter/checked-filter';
import { readList } from '@sabia/service-kit/filter/list';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { ListedCall } from '../domain/call';
import { callResource } from './call-resource';
import { listedCallColumns } from './call-rows';
import { newestIds, sourceOf } from './call-source';

export interface ExportRequest {
  accountId: number;
  filter: CheckedFilter;
}

/** Whether the filter matches more calls than this; counts no further. */
export async function isMoreThan(limit: number, database: Database, request: ExportRequest): Promise<boolean> {
  const { accountId, filter } = request;
  const { where, values, whereCount } = compileFilter(callResource, filter, accountId);
  const text = `SELECT count(*) AS count FROM (SELECT FROM ${sourceOf(filter)} WHERE ${where} LIMIT $${whereCount + 1}::bigint) AS found`;
  const [row] = await readList(database, 'costly', filter, (reader) =>
    reader.query<{ count: number }>(text, [...values.slice(0, whereCount), limit + 1]),
  );
  return row!.count > limit;
}

/** The next of the matching calls, the newest first, from the one after the cursor on. */
export async function readStretch(
  database: Database,
  { accountId, filter, cursor, limit }: ExportRequest & { cursor: string | undefined; limit: number },
): Promise<ListedCall[]> {
  const conditions = [...(filter.where ? [filter.where] : []), ...(cursor === undefined ? [] : [before(cursor)])];
  const rest = { ...filter, where: allOf(conditions), order: undefined };
  const { where, values, whereCount } = compileFilter(callResource, rest, accountId);
  const ids = newestIds(where, { filter: rest, limit: `$${whereCount + 1}::bigint` });
  const text = `SELECT ${listedCallColumns} FROM calls WHERE id = ANY (ARRAY(${ids})) ORDER BY id DESC`;
  return readList(database, 'costly', filter, (reader) =>
    reader.query<ListedCall>(text, [...values.slice(0, whereCount), limit]),
  );
}

const before = (id: string): Condition => ({
  kind: 'compare',
  target: { field: callResource.lookup('id')!, path: [] },
  operator: '<',
  operand: { type: 'uuid', value: id },
});

import { compileFilter } from '@sabia/service-kit/filter/compile';
import type { CheckedFilter } from '@sabia/service-kit/filter/checked-filter';
import { countRows, runFiltered, scanRows } from '@sabia/service-kit/filter/list';
import { createStatementNames } from '@sabia/service-kit/filter/statement-names';
import type { BinaryRow, OnRow } from '@sabia/service-kit/postgres/binary-rows';
import type { Database } from '@sabia/service-kit/postgres/database';
import { readInteger } from '@sabia/service-kit/postgres/message-rows';
import { callResource, columns } from './call-resource';
import { isInOrder, isOfOneField } from './call-shapes';

export interface PageRequest {
  accountId: number;
  filter: CheckedFilter;
  /** How many calls come before the page. */
  start: number;
}

/** Up to as many matches are found and sorted; of more, the newest are soon met by walking through all calls. */
const fewMatches = 100_000;

const nameOf = createStatementNames('list-calls', 100);

/** Hands over the calls of the page, and resolves to the total. */
export async function scanPage(database: Database, request: PageRequest, onRow: OnRow): Promise<number> {
  const { filter } = request;
  if (filter.order === undefined && (filter.where === undefined || isInOrder(filter.where))) {
    return scanInOrder(database, request, onRow);
  }
  return filter.where === undefined
    ? scanOtherwiseOrdered(database, request, onRow)
    : scanMatches(database, request, onRow);
}

const countAll = 'SELECT coalesce(sum(total), 0)::bigint AS count FROM call_counters WHERE account_id = $1::bigint';

/** Counted off in the index, then fetched; by one statement, so that page and total are of the same moment. */
async function scanInOrder(database: Database, request: PageRequest, onRow: OnRow): Promise<number> {
  const { accountId, filter, start } = request;
  const { where, values } = compileFilter(callResource, filter, accountId);
  const count = filter.where === undefined ? countAll : `SELECT count(*) FROM calls WHERE ${where}`;
  // Inside a SELECT the planner does not look at the numbers, and so does not plan anew for each of them.
  const isFirst = start === 0 && filter.limit === callResource.defaultLimit;
  const stretch = isFirst
    ? `LIMIT ${filter.limit}`
    : `LIMIT (SELECT $${values.length + 1}::bigint) OFFSET (SELECT $${values.length + 2}::bigint)`;
  const text = `
    SELECT ${columns}, (${count})
    FROM calls
    WHERE id = ANY (ARRAY(SELECT id FROM calls WHERE ${where} ORDER BY account_id DESC, id DESC ${stretch}))
    ORDER BY id DESC`;

  let total: number | undefined;
  const take = (row: BinaryRow): void => {
    onRow(row);
    if (total === undefined && row.next()) {
      total = readInteger(row);
    }
  };
  await database.scan(text, isFirst ? values : [...values, filter.limit, start], take, { name: nameOf(text) });
  if (total !== undefined || start === 0) {
    return total ?? 0;
  }
  // Beyond the last page there is still the total.
  const [row] = await database.query<{ count: number }>(count, values, { name: nameOf(count) });
  return row!.count;
}

async function scanOtherwiseOrdered(database: Database, request: PageRequest, onRow: OnRow): Promise<number> {
  const [[row]] = await Promise.all([
    database.query<{ count: number }>(countAll, [request.accountId], { name: 'count-all-calls' }),
    scanRows(database, callResource, request, onRow, request.start),
  ]);
  return row!.count;
}

/** The planner guesses badly how rare a value is, so the count is taken first and decides which way to go. */
async function scanMatches(database: Database, request: PageRequest, onRow: OnRow): Promise<number> {
  const { filter, start } = request;
  const name = isOfOneField(filter.where!) ? nameOf : undefined;
  const total = await countRows(database, callResource, { ...request, nameOf: name });
  if (total > fewMatches) {
    await scanRows(database, callResource, request, onRow, start);
  } else if (total > start) {
    await scanFew(database, { ...request, nameOf: name }, onRow);
  }
  return total;
}

/**
 * OFFSET 0 keeps the order away from the search: first all that match, by the best index, then sorted. In the usual order the ids are enough for
 * that, which most indexes hold, and only the rows of the page are fetched.
 */
async function scanFew(
  database: Database,
  { accountId, filter, start, nameOf: name }: PageRequest & { nameOf?: typeof nameOf },
  onRow: OnRow,
): Promise<void> {
  const compiled = compileFilter(callResource, filter, accountId);
  const { where, orderBy, values } = compiled;
  const stretch = `LIMIT $${values.length + 1}::bigint OFFSET $${values.length + 2}::bigint`;
  const matches = (wanted: string): string =>
    `SELECT ${wanted} FROM (SELECT ${wanted === 'id' ? 'id' : '*'} FROM calls WHERE ${where} OFFSET 0) AS calls ${orderBy} ${stretch}`;
  const text =
    filter.order === undefined
      ? `SELECT ${columns} FROM calls WHERE id = ANY (ARRAY(${matches('id')})) ${orderBy}`
      : matches(columns);
  await runFiltered(database, compiled, (queryable) =>
    queryable.scan(text, [...values, filter.limit, start], onRow, { name: name?.(text) }),
  );
}

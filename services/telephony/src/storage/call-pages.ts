import { compileFilter } from '@sabia/service-kit/filter/compile';
import type { CheckedFilter } from '@sabia/service-kit/filter/checked-filter';
import { isDeep } from '@sabia/service-kit/filter/cost';
import type { ListCost } from '@sabia/service-kit/filter/cost';
import { countRows, readList, stretchOf } from '@sabia/service-kit/filter/list';
import { createStatementNames } from '@sabia/service-kit/filter/statement-names';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { callResource } from './call-resource';
import type { CallRows } from './call-rows';
import { isInOrder, isOfOneField, isSorted } from './call-shapes';

export interface PageRequest {
  accountId: number;
  filter: CheckedFilter;
  /** How many calls come before the page. */
  start: number;
}

/** So many ids fit into the memory that a statement has (work_mem). */
const fewMatches = 50_000;

const nameOf = createStatementNames('list-calls', 100);

/** Reads the calls of the page and resolves to the total. */
export async function readPage(database: Database, request: PageRequest, rows: CallRows): Promise<number> {
  const { filter } = request;
  const read = readerOf(filter);
  return readList(database, costOf(request), filter, (reader) => read(reader, request, rows));
}

type ReadPage = (reader: Queryable, request: PageRequest, rows: CallRows) => Promise<number>;

function readerOf({ where, order }: CheckedFilter): ReadPage {
  if (order === undefined && (where === undefined || isInOrder(where))) {
    return readInOrder;
  }
  return where === undefined ? readOtherwiseOrdered : readMatches;
}

/** The newest calls cost the same however many there are. What an index holds side by side is counted, anything else is looked for. */
function costOf({ filter: { where, order }, start }: PageRequest): ListCost {
  if (isDeep(start) || (order !== undefined && (where !== undefined || !isSorted(order)))) {
    return 'costly';
  }
  if (where === undefined) {
    return order === undefined ? 'small' : 'growing';
  }
  return isInOrder(where) || isOfOneField(where) ? 'growing' : 'costly';
}

const countAll = 'SELECT coalesce(sum(total), 0)::bigint AS count FROM call_counters WHERE account_id = $1::bigint';

/** Counted off in the index, then fetched; by one statement, so that page and total are of the same moment. */
async function readInOrder(reader: Queryable, request: PageRequest, rows: CallRows): Promise<number> {
  const { accountId, filter, start } = request;
  const { where, values } = compileFilter(callResource, filter, accountId);
  const count = filter.where === undefined ? countAll : `SELECT count(*) FROM calls WHERE ${where}`;
  // Inside a SELECT the planner does not look at the numbers, and so does not plan anew for each of them.
  const isFirst = start === 0 && filter.limit === callResource.defaultLimit;
  const stretch = isFirst
    ? `LIMIT ${filter.limit}`
    : `LIMIT (SELECT $${values.length + 1}::bigint) OFFSET (SELECT $${values.length + 2}::bigint)`;
  const text = `
    SELECT ${rows.columns}, (${count}) AS total
    FROM calls
    WHERE id = ANY (ARRAY(SELECT id FROM calls WHERE ${where} ORDER BY account_id DESC, id DESC ${stretch}))
    ORDER BY id DESC`;

  const newest = isFirst ? 'list-first-calls' : 'list-newest-calls';
  const name = filter.where === undefined ? newest : nameOf(text);
  const total = await rows.read(reader, {
    text,
    values: isFirst ? values : [...values, filter.limit, start],
    name,
    withTotal: true,
  });
  if (total !== undefined || start === 0) {
    return total ?? 0;
  }
  // Beyond the last page there is still the total.
  const [row] = await reader.query<{ count: number }>(count, values);
  return row!.count;
}

async function readOtherwiseOrdered(reader: Queryable, request: PageRequest, rows: CallRows): Promise<number> {
  const [[row]] = await Promise.all([
    reader.query<{ count: number }>(countAll, [request.accountId], { name: 'count-all-calls' }),
    rows.read(reader, stretchOf({ ...callResource, columns: rows.columns }, request, request.start)),
  ]);
  return row!.count;
}

interface Found {
  total: number;
  /** Of the page, in its order, as an array of PostgreSQL. */
  ids: string;
}

/**
 * The number of matches is not known beforehand. If few do, they are looked for once: counted, sorted, and those of the page fetched. Of many, the
 * newest are soon met by walking through the calls.
 */
async function readMatches(reader: Queryable, request: PageRequest, rows: CallRows): Promise<number> {
  const { filter, start } = request;
  const few = followsStart(filter) ? Math.min(start + filter.limit, fewMatches) : fewMatches;
  const { total, ids } = await findUpTo(few, reader, request);
  if (total > few) {
    const names = isOfOneField(filter.where!) ? { nameOf } : {};
    const count = await countRows(reader, callResource, { ...request, ...names });
    if (count > start) {
      await rows.read(reader, stretchOf({ ...callResource, columns: rows.columns }, request, start));
    }
    return count;
  }
  if (ids !== '{}') {
    const order = filter.order === undefined ? 'id DESC' : 'array_position($1::uuid[], id)';
    const text = `SELECT ${rows.columns} FROM calls WHERE id = ANY ($1::uuid[]) ORDER BY ${order}`;
    const name = filter.order === undefined ? 'fetch-newest-calls' : 'fetch-calls';
    await rows.read(reader, { text, values: [ids], name });
  }
  return total;
}

/** The WITH query is planned as if all that match were wanted, by the best index, but is run only as far as it is read. */
async function findUpTo(few: number, reader: Queryable, request: PageRequest): Promise<Found> {
  const { accountId, filter, start } = request;
  const { where, orderBy, values } = compileFilter(callResource, filter, accountId);
  const [most, limit, offset] = [1, 2, 3].map((nth) => `$${values.length + nth}::bigint`);
  // In the usual order the ids are enough, which most indexes hold.
  const wanted = filter.order === undefined ? 'id' : '*';
  const found = `(SELECT ${wanted} FROM matches LIMIT ${most}) AS found`;
  const text = `
    WITH matches AS MATERIALIZED (SELECT ${wanted} FROM calls WHERE ${where})
    SELECT (SELECT count(*) FROM ${found}) AS total,
      ARRAY(SELECT id FROM ${found} ${orderBy} LIMIT ${limit} OFFSET ${offset})::text AS ids`;
  const name = isOfOneField(filter.where!) ? nameOf(text) : undefined;
  const [row] = await reader.query<Found>(text, [...values, few + 1, filter.limit, start], { name });
  return row!;
}

/** Most calls end soon after they began, so those that ended within some time are close to each other in the order of their ids. */
const followsStart = ({ where, order }: CheckedFilter): boolean =>
  order === undefined && isOfOneField(where!, ['ended_at', 'answered_at']);

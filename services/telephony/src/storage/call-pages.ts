import { anyValue } from '@sabia/service-kit/postgres/any-value';
import { compileFilter } from '@sabia/service-kit/filter/compile';
import type { CheckedFilter } from '@sabia/service-kit/filter/checked-filter';
import { isDeep } from '@sabia/service-kit/filter/cost';
import type { ListCost } from '@sabia/service-kit/filter/cost';
import { countRows, readList, stretchOf } from '@sabia/service-kit/filter/list';
import { createStatementNames } from '@sabia/service-kit/filter/statement-names';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import type { Statement } from '@sabia/service-kit/postgres/statement';
import { monthsOf, olderMonths, recentMonths } from '@sabia/service-kit/postgres/partitions/months';
import type { Months } from '@sabia/service-kit/postgres/partitions/months';
import { callResource } from './call-resource';
import type { CallRows } from './call-rows';
import { isInOrder, isOfOneField, isOfOneFieldAlone, isOfOneWord, isSorted } from './call-shapes';
import { callsLedByValues, newestIds, sourceOf } from './call-source';

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
  return isInOrder(where) || isOfOneField(where) || isOfOneWord(where) ? 'growing' : 'costly';
}

const countAll = 'SELECT coalesce(sum(total), 0)::bigint AS count FROM call_counters WHERE account_id = $1::bigint';

/** Total and page are found by one statement, so that they are of the same moment: counted off in the index, then fetched. */
async function readInOrder(reader: Queryable, request: PageRequest, rows: CallRows): Promise<number> {
  const { accountId, filter, start } = request;
  const isOfUsualSize = filter.limit === callResource.defaultLimit;
  if (isOfUsualSize && filter.where === undefined && !isDeep(start)) {
    const total = await readNewest(reader, request, rows);
    if (total !== undefined) return total;
  }
  const isFirst = isOfUsualSize && start === 0;
  const { where, values } = compileFilter(callResource, filter, accountId);
  const count = filter.where === undefined ? countAll : `SELECT count(*) FROM calls WHERE ${where}`;
  const [limit, offset] = [1, 2].map((nth) => anyValue(`$${values.length + nth}`, 'bigint'));
  const ids = newestIds(where, isFirst ? { limit: `${filter.limit}` } : { limit: limit!, offset });
  const text = `SELECT (${count}) AS total, ARRAY(${ids})::text AS ids`;
  const name = filter.where === undefined ? 'find-newest-calls' : nameOf(text);
  const [found] = await reader.query<Found>(text, isFirst ? values : [...values, filter.limit, start], { name });
  await fetchNewest(reader, found!.ids, rows);
  return found!.total;
}

/**
 * A page of all calls: months that are long gone are not looked at, unless the last ones do not fill it. Undefined: the page begins before
 * those, and nothing was read.
 */
async function readNewest(
  reader: Queryable,
  { accountId, start }: PageRequest,
  rows: CallRows,
): Promise<number | undefined> {
  const limit = callResource.defaultLimit;
  // One moment for both, so that no call is in both or in none.
  const now = new Date();
  const readFrom = (months: Months, idsOf: (where: string) => string, values: number[], name: string) =>
    rows.read(reader, {
      text: `
        SELECT ${rows.columns}, (${countAll}) AS total FROM calls
        WHERE ${months.hold('id')} AND id = ANY (ARRAY(${idsOf(`account_id = $1::bigint AND ${months.hold('id')}`)}))
        ORDER BY id DESC`,
      values: [accountId, ...values],
      name: months.nameOf(name),
      withTotal: true,
    });
  const second = anyValue('$2', 'bigint');
  // Two or three months are as soon merged with the current calls, and skipped faster.
  const merged = (stretch: string) => (where: string) =>
    `SELECT id FROM calls WHERE ${where} ORDER BY account_id DESC, id DESC ${stretch}`;
  const recent =
    start === 0
      ? await readFrom(recentMonths(now), merged(`LIMIT ${limit}`), [], 'list-newest-calls')
      : await readFrom(recentMonths(now), merged(`LIMIT ${limit} OFFSET ${second}`), [start], 'list-later-calls');
  if (recent.count === limit || start + recent.count === recent.total) {
    return recent.total!;
  }
  if (recent.count === 0 && start > 0) {
    return undefined;
  }
  const newest = (where: string): string => newestIds(where, { limit: second });
  const older = await readFrom(olderMonths(now), newest, [limit - recent.count], 'list-older-calls');
  return older.total ?? recent.total ?? 0;
}

/** The ids are an array of PostgreSQL. */
async function fetchNewest(reader: Queryable, ids: string, rows: CallRows): Promise<void> {
  if (ids !== '{}') {
    const months = monthsOf(ids.slice(1, -1).split(','));
    const text = `SELECT ${rows.columns} FROM calls WHERE id = ANY (${anyValue('$1', 'uuid[]')}) AND ${months.hold('id')} ORDER BY id DESC`;
    await rows.read(reader, { text, values: [ids], name: months.nameOf('fetch-newest-calls') });
  }
}

async function readOtherwiseOrdered(reader: Queryable, request: PageRequest, rows: CallRows): Promise<number> {
  const [[row]] = await Promise.all([
    reader.query<{ count: number }>(countAll, [request.accountId], { name: 'count-all-calls' }),
    rows.read(reader, stretchOf(resourceOf(request, rows), request, request.start)),
  ]);
  return row!.count;
}

const resourceOf = ({ filter }: PageRequest, { columns }: CallRows) => ({
  ...callResource,
  columns,
  from: sourceOf(filter),
});

/** The calls of a page in the usual order. */
function newestStretchOf({ accountId, filter, start }: PageRequest, { columns }: CallRows): Statement {
  const { where, values, whereCount } = compileFilter(callResource, filter, accountId);
  const [limit, offset] = [1, 2].map((nth) => `$${whereCount + nth}::bigint`);
  const ids = newestIds(where, { filter, limit: limit!, offset });
  const text = `SELECT ${columns} FROM calls WHERE id = ANY (ARRAY(${ids})) ORDER BY id DESC`;
  return { text, values: [...values.slice(0, whereCount), filter.limit, start] };
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
    const resource = resourceOf(request, rows);
    const count = await countRows(reader, resource, { ...request, ...names });
    if (count > start) {
      const isUsual = filter.order === undefined;
      await rows.read(reader, isUsual ? newestStretchOf(request, rows) : stretchOf(resource, request, start));
    }
    return count;
  }
  if (filter.order === undefined) {
    await fetchNewest(reader, ids, rows);
  } else if (ids !== '{}') {
    const text = `SELECT ${rows.columns} FROM calls WHERE id = ANY ($1::uuid[]) ORDER BY array_position($1::uuid[], id)`;
    await rows.read(reader, { text, values: [ids], name: 'fetch-calls' });
  }
  return total;
}

/** The WITH query is planned as if all that match were wanted, by the best index, but is run only as far as it is read. */
async function findUpTo(few: number, reader: Queryable, request: PageRequest): Promise<Found> {
  const { accountId, filter, start } = request;
  const valuesLead = isOfOneWord(filter.where!);
  const forAnyValues = valuesLead || isOfOneFieldAlone(filter.where!);
  const { where, orderBy, values } = compileFilter(callResource, filter, accountId, { forAnyValues, valuesLead });
  const [most, limit, offset] = [1, 2, 3].map((nth) => anyValue(`$${values.length + nth}`, 'bigint'));
  // In the usual order the ids are enough, which most indexes hold.
  const wanted = filter.order === undefined ? 'id' : '*';
  // The account is the first value that a filter binds.
  const source = valuesLead ? callsLedByValues(anyValue('$1', 'bigint')) : sourceOf(filter);
  const found = `(SELECT ${wanted} FROM matches LIMIT ${most}) AS found`;
  const text = `
    WITH matches AS MATERIALIZED (SELECT ${wanted} FROM ${source} WHERE ${where})
    SELECT (SELECT count(*) FROM ${found}) AS total,
      ARRAY(SELECT id FROM ${found} ${orderBy} LIMIT ${limit} OFFSET ${offset})::text AS ids`;
  // Orders can be combined at will, and each would be a statement of its own.
  const isUsual = filter.order === undefined && (valuesLead || isOfOneField(filter.where!));
  const name = isUsual ? nameOf(text) : undefined;
  const [row] = await reader.query<Found>(text, [...values, few + 1, filter.limit, start], { name });
  return row!;
}

/** Most calls end soon after they began, so those that ended within some time are close to each other in the order of their ids. */
const followsStart = ({ where, order }: CheckedFilter): boolean =>
  order === undefined && isOfOneField(where!, ['ended_at', 'answered_at']);

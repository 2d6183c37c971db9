import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { badRequest } from '@sabia/service-kit/errors';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, Condition } from '@sabia/service-kit/filter/checked-filter';
import { compileFilter } from '@sabia/service-kit/filter/compile';
import { countRows, runFiltered, scanRows } from '@sabia/service-kit/filter/list';
import { pageMeta } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { BinaryRow, OnRow } from '@sabia/service-kit/postgres/binary-rows';
import type { Database } from '@sabia/service-kit/postgres/database';
import { readInteger } from '@sabia/service-kit/postgres/message-rows';
import type { ColumnType } from '@sabia/service-kit/postgres/message-rows';

/** What a listed call has, in this order; whoever takes the rows reads them so. */
export const listedColumns = [
  ['id', 'uuid'],
  ['domain', 'text'],
  ['call_type', 'text'],
  ['started_at', 'timestamp'],
  ['ended_at', 'timestamp'],
  ['from_number', 'text'],
  ['to_number', 'text'],
  ['duration', 'integer'],
  ['hangup_cause', 'text'],
  ['record_url', 'text'],
  ['email', 'text'],
  ['first_name', 'text'],
  ['last_name', 'text'],
  ['bina', 'text'],
  ['minute_price', 'decimal'],
  ['call_price', 'decimal'],
  ['metadata', 'text'],
  ['answered_at', 'timestamp'],
  ['billed_seconds', 'integer'],
  ['status', 'text'],
] as const satisfies readonly (readonly [string, ColumnType])[];

const columns = listedColumns.map(([name]) => name).join(', ');

export const callResource = defineResource({
  name: 'call',
  columns,
  from: 'calls',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'uuid', sql: 'id' },
    domain: { type: 'text', sql: 'domain' },
    call_type: { type: 'text', sql: 'call_type' },
    started_at: { type: 'timestamp', sql: 'started_at', aliases: ['date'] },
    ended_at: { type: 'timestamp', sql: 'ended_at' },
    answered_at: { type: 'timestamp', sql: 'answered_at' },
    from: { type: 'text', sql: 'from_number', aliases: ['extension', 'ramal', 'caller'] },
    to: { type: 'text', sql: 'to_number', aliases: ['phone', 'called'] },
    duration: { type: 'integer', sql: 'duration' },
    billed_seconds: { type: 'integer', sql: 'billed_seconds' },
    hangup_cause: { type: 'text', sql: 'hangup_cause' },
    record_url: { type: 'text', sql: 'record_url' },
    email: { type: 'text', sql: 'email' },
    first_name: { type: 'text', sql: 'first_name' },
    last_name: { type: 'text', sql: 'last_name' },
    BINA: { type: 'text', sql: 'bina', aliases: ['bina'] },
    minute_price: { type: 'decimal', sql: 'minute_price' },
    call_price: { type: 'decimal', sql: 'call_price' },
    status: { type: 'text', sql: 'status' },
    metadata: { type: 'json', sql: '(metadata::jsonb)' },
  },
  // Ids are made of the time at which the call began.
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

export interface CallListRequest {
  accountId: number;
  timeZone: string;
  filter: string | undefined;
  startDate: string | undefined;
  endDate: string | undefined;
  page: number;
}

/** Up to as many matches are found and sorted; of more, the newest are soon met by walking through all calls. */
const fewMatches = 100_000;

/** Hands over the calls of the page, and resolves to what there is to say about it. */
export async function listCalls(database: Database, request: CallListRequest, onRow: OnRow): Promise<PageMeta> {
  const { accountId, page } = request;
  const filter = readRequest(request);
  const start = Math.min(filter.offset + (page - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const total = await listFrom(database, { accountId, filter }, start, onRow);
  return pageMeta({ total, page, limit: filter.limit, offset: filter.offset });
}

interface Options {
  accountId: number;
  filter: CheckedFilter;
}

/** Resolves to the total. */
async function listFrom(database: Database, options: Options, start: number, onRow: OnRow): Promise<number> {
  const { accountId, filter } = options;
  if (filter.where === undefined && filter.order === undefined) {
    return listNewest(database, accountId, { limit: filter.limit, start }, onRow);
  }
  if (filter.where === undefined) {
    const [total] = await Promise.all([
      countAll(database, accountId),
      scanRows(database, callResource, options, onRow, start),
    ]);
    return total;
  }
  // The planner guesses badly how rare a value is, so the count is taken first and decides which way to go.
  const total = await countRows(database, callResource, options);
  if (total > fewMatches) {
    await scanRows(database, callResource, options, onRow, start);
  } else if (total > start) {
    await scanFew(database, options, onRow, start);
  }
  return total;
}

function readRequest({ filter: text, timeZone, startDate, endDate }: CallListRequest): CheckedFilter {
  const filter = readFilter(callResource, text, timeZone);
  const conditions = [filter.where, bound('gte', startDate, timeZone), bound('lte', endDate, timeZone)];
  return { ...filter, where: allOf(conditions.filter((condition): condition is Condition => condition !== undefined)) };
}

/** A bound given as a query parameter reads exactly as the same one inside a filter. */
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

const totalOf = 'SELECT coalesce(sum(total), 0)::bigint AS total FROM call_counters WHERE account_id = $1';

/** Counted off in the index, then fetched. */
const pageOf = (stretch: string): string => `
  SELECT ${columns}, (${totalOf})
  FROM calls
  WHERE id = ANY (ARRAY(SELECT id FROM calls WHERE account_id = $1 ORDER BY account_id DESC, id DESC ${stretch}))
  ORDER BY id DESC`;

/** What is asked for most. With its numbers in the text the planner has nothing to guess, and plans it once, not every time. */
const firstPage = pageOf(`LIMIT ${callResource.defaultLimit}`);
const anyPage = pageOf('LIMIT $2::bigint OFFSET $3::bigint');

/** One prepared statement, so that page and total are of the same moment. */
async function listNewest(
  database: Database,
  accountId: number,
  { limit, start }: { limit: number; start: number },
  onRow: OnRow,
): Promise<number> {
  let total: number | undefined;
  const take = (row: BinaryRow): void => {
    onRow(row);
    if (total === undefined && row.next()) {
      total = readInteger(row);
    }
  };
  if (start === 0 && limit === callResource.defaultLimit) {
    await database.scan(firstPage, [accountId], take, { name: 'list-first-calls' });
  } else {
    await database.scan(anyPage, [accountId, limit, start], take, { name: 'list-newest-calls' });
  }
  // Beyond the last page there is still the total.
  return total ?? countAll(database, accountId);
}

async function countAll(database: Database, accountId: number): Promise<number> {
  const [row] = await database.query<{ total: number }>(totalOf, [accountId], { name: 'count-all-calls' });
  return row!.total;
}

/**
 * OFFSET 0 keeps the order away from the search: first all that match, by the best index, then sorted. In the usual order the ids are enough for
 * that, which most indexes hold, and only the rows of the page are fetched.
 */
async function scanFew(database: Database, { accountId, filter }: Options, onRow: OnRow, start: number): Promise<void> {
  const compiled = compileFilter(callResource, filter, accountId);
  const { where, orderBy, values } = compiled;
  const stretch = `LIMIT $${values.length + 1}::bigint OFFSET $${values.length + 2}::bigint`;
  const matches = (wanted: string): string =>
    `SELECT ${wanted} FROM (SELECT ${wanted === 'id' ? 'id' : '*'} FROM calls WHERE ${where} OFFSET 0) AS calls ${orderBy} ${stretch}`;
  const text =
    filter.order === undefined
      ? `SELECT ${columns} FROM calls WHERE id = ANY (ARRAY(${matches('id')})) ${orderBy}`
      : matches(columns);
  await runFiltered(database, compiled, (queryable) => queryable.scan(text, [...values, filter.limit, start], onRow));
}

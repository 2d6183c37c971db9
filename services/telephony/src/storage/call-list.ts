import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { badRequest } from '@sabia/service-kit/errors';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, Condition } from '@sabia/service-kit/filter/checked-filter';
import { compileFilter } from '@sabia/service-kit/filter/compile';
import { countRows, listRows, runFiltered } from '@sabia/service-kit/filter/list';
import { pageMeta } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import { callColumns } from './calls';

export const callResource = defineResource({
  name: 'call',
  columns: callColumns,
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

/** Up to as many matches are fetched and sorted; of more, the newest are soon found by walking through all calls. */
const fewMatches = 20_000;

export async function listCalls(
  database: Database,
  request: CallListRequest,
): Promise<{ calls: Call[]; meta: PageMeta }> {
  const { accountId, page } = request;
  const filter = readRequest(request);
  const start = Math.min(filter.offset + (page - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const options = { accountId, filter };
  if (filter.where === undefined) {
    const { calls, total } =
      filter.order === undefined
        ? await listNewest(database, accountId, { limit: filter.limit, start })
        : await listOrdered(database, options, start);
    return { calls, meta: pageMeta({ total, page, limit: filter.limit, offset: filter.offset }) };
  }
  // The planner guesses badly how rare a value is, so the count is taken first and decides which way to go.
  const total = await countRows(database, callResource, options);
  const calls =
    total <= start
      ? []
      : total <= fewMatches
        ? await listFew(database, options, start)
        : await listRows<Call>(database, callResource, options, start);
  return { calls, meta: pageMeta({ total, page, limit: filter.limit, offset: filter.offset }) };
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

interface Listed {
  calls: Call[];
  total: number;
}

/** What is asked for most: one prepared statement, so that page and total are of the same moment. Pages are counted off in the index. */
async function listNewest(
  database: Database,
  accountId: number,
  { limit, start }: { limit: number; start: number },
): Promise<Listed> {
  const rows = await database.query<Call & { total: number }>(
    `SELECT counted.total, ${callColumns}
     FROM (SELECT coalesce(sum(total), 0)::bigint AS total FROM call_counters WHERE account_id = $1) AS counted
     LEFT JOIN calls ON id = ANY (ARRAY(
       SELECT id FROM calls WHERE account_id = $1 ORDER BY account_id DESC, id DESC LIMIT $2::bigint OFFSET $3::bigint
     ))
     ORDER BY id DESC`,
    [accountId, limit, start],
    { name: 'list-newest-calls' },
  );
  // Beyond the last page there is still the total.
  return { calls: rows.filter(({ id }) => id !== null), total: rows[0]!.total };
}

async function listOrdered(
  database: Database,
  options: { accountId: number; filter: CheckedFilter },
  start: number,
): Promise<Listed> {
  const [calls, total] = await Promise.all([
    listRows<Call>(database, callResource, options, start),
    countAll(database, options.accountId),
  ]);
  return { calls, total };
}

async function countAll(database: Database, accountId: number): Promise<number> {
  const [row] = await database.query<{ total: number }>(
    'SELECT coalesce(sum(total), 0)::bigint AS total FROM call_counters WHERE account_id = $1',
    [accountId],
    { name: 'count-all-calls' },
  );
  return row!.total;
}

/** OFFSET 0 keeps the order away from the search: first all that match, by the best index, then sorted. */
async function listFew(
  database: Database,
  { accountId, filter }: { accountId: number; filter: CheckedFilter },
  start: number,
): Promise<Call[]> {
  const compiled = compileFilter(callResource, filter, accountId);
  const { where, orderBy, values } = compiled;
  const text = `SELECT ${callColumns} FROM (SELECT * FROM calls WHERE ${where} OFFSET 0) AS calls ${orderBy}
     LIMIT $${values.length + 1}::bigint OFFSET $${values.length + 2}::bigint`;
  return runFiltered(database, compiled, (queryable) => queryable.query<Call>(text, [...values, filter.limit, start]));
}

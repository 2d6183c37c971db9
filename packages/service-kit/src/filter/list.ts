import { isInvalidInput, isStatementTimeout, sqlState } from '../postgres/errors';
import type { Database, Queryable } from '../postgres/database';
import type { CheckedFilter } from './checked-filter';
import { compileFilter } from './compile';
import { costOf, hasPattern } from './cost';
import type { ListCost } from './cost';
import { invalidFilter } from './invalid-filter';
import type { Resource } from './resource';

export interface ListOptions {
  /** Null for a resource over all accounts. */
  accountId: number | null;
  filter: CheckedFilter;
  /** See createStatementNames. */
  nameOf?: (text: string) => string | undefined;
}

/** Time limit of each statement of a filter with patterns. Patterns never run in the JavaScript engine. */
const patternTimeLimitMs = 2_000;

/** One stretch of the list. */
export async function listRows<R extends object>(
  database: Database,
  resource: Resource,
  options: ListOptions,
): Promise<R[]> {
  const { filter } = options;
  const cost = costOf(resource, filter, filter.offset);
  return readList(database, cost, filter, (reader) => selectRows<R>(reader, resource, options));
}

/** The rows of one stretch of the list, from `offset` on. */
export function selectRows<R extends object>(
  reader: Queryable,
  resource: Resource,
  options: ListOptions,
  offset?: number,
): Promise<R[]> {
  const { text, values } = stretchOf(resource, options, offset);
  return reader.query<R>(text, values);
}

/** The statement that selects the rows of one stretch. */
export function stretchOf(resource: Resource, { accountId, filter }: ListOptions, offset = filter.offset) {
  const { where, orderBy, values } = compileFilter(resource, filter, accountId);
  const text =
    `SELECT ${resource.columns} FROM ${resource.from} WHERE ${where} ${orderBy} ` +
    `LIMIT $${values.length + 1}::bigint OFFSET $${values.length + 2}::bigint`;
  return { text, values: [...values, filter.limit, offset] };
}

/** How many rows the filter matches, exactly. */
export async function countRows(
  reader: Queryable,
  resource: Resource,
  { accountId, filter, nameOf }: ListOptions,
): Promise<number> {
  const compiled = compileFilter(resource, filter, accountId);
  const text = `SELECT count(*) AS count FROM ${resource.from} WHERE ${compiled.where}`;
  const values = compiled.values.slice(0, compiled.whereCount);
  const [row] = await reader.query<{ count: number }>(text, values, { name: nameOf?.(text) });
  return row!.count;
}

/** Runs the statements of a list on the connections for their cost, with the time limit of patterns, and turns PostgreSQL's complaints about a pattern into a 400. */
export async function readList<R>(
  database: Database,
  cost: ListCost,
  { where }: Pick<CheckedFilter, 'where'>,
  read: (reader: Queryable) => Promise<R>,
): Promise<R> {
  if (cost === 'small') {
    return read(database);
  }
  if (!hasPattern(where)) {
    return database.read(cost, read);
  }
  try {
    return await database.read('costly', async (reader) => {
      await reader.query(`SELECT set_config('statement_timeout', $1, true)`, [String(patternTimeLimitMs)]);
      return read(reader);
    });
  } catch (error) {
    throw explain(error);
  }
}

/** A pattern that only PostgreSQL can find wrong is still the client's mistake. */
function explain(error: unknown): unknown {
  if (isStatementTimeout(error)) {
    return invalidFilter('its pattern takes too long to search for');
  }
  if (sqlState(error) === '2201B') {
    return invalidFilter('its regular expression is not valid');
  }
  // Class 54: a pattern beyond the limits of the server.
  if (isInvalidInput(error) || sqlState(error)?.startsWith('54')) {
    return invalidFilter('it cannot be searched for');
  }
  return error;
}

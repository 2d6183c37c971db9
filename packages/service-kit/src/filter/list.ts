import { isInvalidInput, isStatementTimeout, sqlState } from '../postgres/errors';
import type { OnRow } from '../postgres/binary-rows';
import type { Database, Queryable } from '../postgres/database';
import type { CheckedFilter } from './checked-filter';
import { compileFilter } from './compile';
import type { CompiledFilter } from './compile';
import { invalidFilter } from './invalid-filter';
import type { Resource } from './resource';

export interface ListOptions {
  accountId: number;
  filter: CheckedFilter;
  /** See createStatementNames. */
  nameOf?: (text: string) => string | undefined;
}

/** For filters with patterns. A pattern never runs in the JavaScript engine, and in PostgreSQL not for long. */
const patternTimeLimitMs = 2_000;

/** One stretch of the list, from `offset` on. */
export async function listRows<R extends object>(
  database: Database,
  resource: Resource,
  options: ListOptions,
  offset?: number,
): Promise<R[]> {
  const { compiled, text, values } = stretch(resource, options, offset);
  return runFiltered(database, compiled, (queryable) => queryable.query<R>(text, values));
}

/** The same, for rows that go on as they are. */
export async function scanRows(
  database: Database,
  resource: Resource,
  options: ListOptions,
  onRow: OnRow,
  offset?: number,
): Promise<void> {
  const { compiled, text, values } = stretch(resource, options, offset);
  await runFiltered(database, compiled, (queryable) => queryable.scan(text, values, onRow));
}

function stretch(resource: Resource, { accountId, filter }: ListOptions, offset = filter.offset) {
  const compiled = compileFilter(resource, filter, accountId);
  const { where, orderBy, values } = compiled;
  const text =
    `SELECT ${resource.columns} FROM ${resource.from} WHERE ${where} ${orderBy} ` +
    `LIMIT $${values.length + 1}::bigint OFFSET $${values.length + 2}::bigint`;
  return { compiled, text, values: [...values, filter.limit, offset] };
}

/** How many rows the filter matches, exactly. */
export async function countRows(
  database: Database,
  resource: Resource,
  { accountId, filter, nameOf }: ListOptions,
): Promise<number> {
  const compiled = compileFilter(resource, filter, accountId);
  const text = `SELECT count(*) AS count FROM ${resource.from} WHERE ${compiled.where}`;
  const values = compiled.values.slice(0, compiled.whereCount);
  const [row] = await runFiltered(database, compiled, (queryable) =>
    queryable.query<{ count: number }>(text, values, { name: nameOf?.(text) }),
  );
  return row!.count;
}

/** Runs a statement with a compiled filter in it: within the time that patterns have, and with what is wrong with them said. */
export async function runFiltered<R>(
  database: Database,
  { costly }: CompiledFilter,
  query: (queryable: Queryable) => Promise<R>,
): Promise<R> {
  try {
    if (!costly) {
      return await query(database);
    }
    return await database.transaction(async (tx) => {
      await tx.query(`SELECT set_config('statement_timeout', $1, true)`, [String(patternTimeLimitMs)]);
      return query(tx);
    });
  } catch (error) {
    throw costly ? explain(error) : error;
  }
}

/** What only PostgreSQL can tell about a pattern is still the client's mistake. */
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

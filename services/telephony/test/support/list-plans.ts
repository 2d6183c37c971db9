import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Database, QueryOptions } from '@sabia/service-kit/postgres/database';
import { listCalls } from '../../src/rpc/call-list';
import { collectCalls } from '../../src/storage/call-rows';

/** How PostgreSQL goes about what is run for such a list: for these values and, where the statement stays prepared, for any. */
export async function plansOf(
  database: Database,
  { accountId, timeZone }: Caller,
  filter: object,
  { how = '', page = 1 }: { how?: '' | 'ANALYZE'; page?: number } = {},
): Promise<string[]> {
  const { watched, plans } = watch(database, how);
  const request = {
    accountId,
    timeZone,
    filter: JSON.stringify(filter),
    page,
    startDate: undefined,
    endDate: undefined,
  };
  await listCalls(watched, request, collectCalls());
  return plans;
}

/** A database that notes the plan of each of its statements before it is run. */
export function watch(database: Database, how: '' | 'ANALYZE' = ''): { watched: Database; plans: string[] } {
  const plans: string[] = [];
  const explain = async (options: string, text: string, values?: readonly unknown[]): Promise<void> => {
    const lines = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${options} ${text}`, values);
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
  };
  const watched: Database = {
    ...database,
    async query<R extends object>(text: string, values: readonly unknown[] = [], options?: QueryOptions): Promise<R[]> {
      await explain(how, text, values);
      if (options?.name !== undefined) await explain('(GENERIC_PLAN)', text);
      return database.query<R>(text, values, options);
    },
    read: (_cost, read) => read(watched),
  };
  return { watched, plans };
}

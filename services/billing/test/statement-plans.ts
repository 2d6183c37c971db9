import type { Database } from '@sabia/service-kit/postgres/database';

/** How PostgreSQL goes about the statements of some work, with ANALYZE also what it met. */
export function plansOf(
  database: Database,
  work: (watched: Database) => Promise<unknown>,
  { analyze = false } = {},
): Promise<string[]> {
  return database.transaction(async (tx) => {
    // A sort remains only where no index has the order; the tables are too small for the planner to mind one.
    await tx.query(`SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true)`);
    const plans: string[] = [];
    const watched: Database = {
      ...database,
      async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
        const lines = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE ${analyze}) ${text}`, values);
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
        return tx.query<R>(text, values);
      },
      read: (_cost, read) => read(watched),
    };
    await work(watched);
    return plans;
  });
}

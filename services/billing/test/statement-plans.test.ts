import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { readStatement } from '../src/storage/statement';
import { openStage } from './stage';
import type { Stage } from './stage';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage?.close());

test.each([{}, { order: 'id ASC' }, { order: 'at DESC' }, { order: 'at ASC' }])(
  'the statement %j comes from an index in its order',
  async (filter) => {
    const plans = await stage.database.transaction(async (tx) => {
      // A sort remains only where no index has the order; the tables are too small for the planner to mind one.
      await tx.query(`SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true)`);
      const { watched, plans } = watch(stage.database, tx);
      const list = { accountId: 1, timeZone: 'UTC', page: 1, startDate: undefined, endDate: undefined };
      await readStatement(watched, { ...list, filter: JSON.stringify(filter) });
      return plans.filter((plan) => plan.includes('Limit'));
    });
    expect(plans).toHaveLength(1);
    expect(plans[0]).not.toMatch(/^\s*(->)?\s*Sort /m);
  },
);

/** A database that notes the plans that its statements have in a transaction. */
function watch(database: Database, tx: Transaction): { watched: Database; plans: string[] } {
  const plans: string[] = [];
  const watched: Database = {
    ...database,
    async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
      const lines = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      return tx.query<R>(text, values);
    },
    read: (_cost, read) => read(watched),
  };
  return { watched, plans };
}

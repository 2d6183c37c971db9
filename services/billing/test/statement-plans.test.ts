import { readStatement } from '../src/storage/statement';
import { openStage } from './stage';
import type { Stage } from './stage';
import { plansOf } from './statement-plans';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage?.close());

test.each([{}, { order: 'id ASC' }, { order: 'at DESC' }, { order: 'at ASC' }])(
  'the statement %j comes from an index in its order',
  async (filter) => {
    const list = { accountId: 1, timeZone: 'UTC', page: 1, startDate: undefined, endDate: undefined };
    const all = await plansOf(stage.database, (watched) =>
      readStatement(watched, { ...list, filter: JSON.stringify(filter) }),
    );
    const plans = all.filter((plan) => plan.includes('Limit'));
    expect(plans).toHaveLength(1);
    expect(plans[0]).not.toMatch(/^\s*(->)?\s*Sort /m);
  },
);

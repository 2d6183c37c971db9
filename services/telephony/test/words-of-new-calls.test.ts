import { inMetadata } from '../src/storage/shared-indexes';
import { newAccount, openStage } from './stage';
import type { Stage } from './stage';
import { insertCalls } from './support/insert-calls';

let stage: Stage;
beforeAll(async () => (stage = await openStage()));
afterAll(async () => stage?.close());

const CALLS = 10_000;
const AT_ONCE = 100;

/** PostgreSQL gathers what is new of a GIN index in a list, which every search reads, until it is merged. */
test('a search for a value reads little more after thousands of new calls than before them', async () => {
  const { accountId } = newAccount(stage);
  // As in a large month, which PostgreSQL cleans once in days.
  await stage.sql.query('ALTER TABLE calls_before SET (autovacuum_enabled = off)');
  const before = await blocksOfSearch(accountId);
  for (let nth = 0; nth < CALLS; nth += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, (_, more) => ({
      at: new Date(1_700_000_000_000 + nth + more).toISOString(),
      metadata: { leadId: nth + more },
    }));
    await insertCalls(stage.sql, accountId, calls);
  }
  expect((await blocksOfSearch(accountId)) - before).toBeLessThan(50);
});

async function blocksOfSearch(accountId: number): Promise<number> {
  const lines = await stage.sql.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS) SELECT FROM calls WHERE ${inMetadata.contains!('$1::jsonb', '$2')}`,
    [JSON.stringify({ leadId: -1 }), String(accountId)],
  );
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Bitmap Index Scan/);
  const [, hit = '0', , read = '0'] = /Buffers: shared(?: hit=(\d+))?( read=(\d+))?/.exec(plan) ?? [];
  return Number(hit) + Number(read);
}

import { eventually } from '@sabia/testkit/eventually';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

/** An odd number of a's is no text twice over: PostgreSQL tries every way to divide it, until the time of the search is over. */
const haystack = `${'a'.repeat(9_999)}b`;
const costly = (nth: number) =>
  JSON.stringify({ where: { 'metadata.text': { regexp: `^(a*)(a*)(a*)\\1\\2\\3(b|c${nth})$` } } });

const searching = async (): Promise<number> => {
  const [row] = await stage.admin.query<{ count: number }>(
    `SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND usename <> current_user AND state = 'active' AND query LIKE '%#>>%'
       AND backend_type = 'client backend'`,
  );
  return row!.count;
};

test('an account with many searches takes one connection, and calls are placed at the same time', async () => {
  const greedy = replica.as(newAccount(stage));
  const { id } = await greedy.placeCall({
    extension: '1000',
    called: numbers.answer,
    metadata: JSON.stringify({ text: haystack }),
  });
  await greedy.hangUp({ id });
  await whenCall(greedy, id, 'ended');

  let answered = 0;
  const searches = Array.from({ length: 60 }, async (_, nth) => {
    const refusal = await greedy.listCalls({ filter: costly(nth) }).catch((error: unknown) => error);
    answered += 1;
    return refusal;
  });
  await eventually(async () => (await searching()) > 0);

  const others = replica.as(newAccount(stage));
  for (let nth = 0; nth < 3; nth += 1) {
    const placed = await others.placeCall({ extension: '1000', called: numbers.answer });
    expect(await searching()).toBeLessThanOrEqual(1);
    await others.hangUp({ id: placed.id });
  }
  // Searches were still waiting for each other when the last of these calls had been placed.
  expect(answered).toBeLessThan(60);

  // Those that wait find nothing to search any more.
  await stage.sql.query(`UPDATE calls SET metadata = '{}' WHERE id = $1`, [id]);
  const codes = (await Promise.all(searches)).map((refusal) => (refusal as { code?: string }).code);
  expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(39);
});

test('the share of one account is not that of another', async () => {
  const callers = [newAccount(stage), newAccount(stage)];
  await Promise.all(
    callers.map(async (caller) => {
      const telephony = replica.as(caller);
      const { id } = await telephony.placeCall({
        extension: '1000',
        called: numbers.answer,
        metadata: '{"lead":"42","text":"needle in a haystack"}',
      });
      const found = await Promise.all(
        [{ 'metadata.text': { ilike: '%NEEDLE%' } }, { 'metadata.lead': '42' }, { status: { neq: 'nothing' } }].map(
          async (where) => telephony.listCalls({ filter: JSON.stringify({ where }) }),
        ),
      );
      expect(found.map(({ data }) => data.map((call) => call.id))).toEqual([[id], [id], [id]]);
      await telephony.hangUp({ id });
    }),
  );
});

import { newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createSecretVault } from '../src/domain/secret-vault';
import { createHousekeeping } from '../src/storage/housekeeping';
import { openHome } from './harness';
import type { Home } from './harness';

const day = 24 * 60 * 60 * 1000;
const now = new Date();
const ago = (days: number): Date => new Date(now.getTime() - days * day);

let home: Home;

beforeAll(async () => {
  home = await openHome();
});
afterAll(() => home.close());

const clean = async (): Promise<void> => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const keep = createHousekeeping({
    ...{ database: home.sql, vault: createSecretVault([]), log, now: () => now },
    tellDead: () => Promise.resolve(),
  });
  await keep(new AbortController().signal);
};
const listed = async (table: string, column: string): Promise<string[]> =>
  (await home.sql.query<{ name: string }>(`SELECT ${column} AS name FROM ${table} ORDER BY 1`)).map(({ name }) => name);

test('events that were not sent go after a day, calls and replays after seven', async () => {
  for (const age of [0, 2, 6, 8]) {
    const id = newEventId(ago(age));
    await home.sql.query(
      `INSERT INTO unmatched_events (id, integration_id, event_id, event_type, reason, created_at) VALUES ($1, 1, $1, $2, '', $3)`,
      [id, String(age), ago(age)],
    );
    await home.sql.query(
      `INSERT INTO calls (call_id, account_id, stage, snapshot, updated_at) VALUES ($1, $2, 1, '', $3)`,
      [id, age, ago(age)],
    );
    await home.sql.query('INSERT INTO replays (id, integration_id, created_at) VALUES ($1, $2, $3)', [
      id,
      age,
      ago(age),
    ]);
    await home.sql.query(
      `INSERT INTO replayed_deliveries (replay_id, delivery_id, created_at) SELECT $1, gen_random_uuid(), $2 FROM generate_series(1, 3)`,
      [id, ago(age)],
    );
  }
  // A call that was told of again stays as long after that.
  await home.sql.query(
    `INSERT INTO calls (call_id, account_id, stage, snapshot, updated_at) VALUES ($1, 99, 2, '', $2)`,
    [newEventId(ago(9)), ago(1)],
  );
  await clean();
  expect(await listed('unmatched_events', 'event_type')).toEqual(['0']);
  expect(await listed('calls', 'account_id::text')).toEqual(['0', '2', '6', '99']);
  expect(await listed('replays', 'integration_id::text')).toEqual(['0', '2', '6']);
  expect(await listed('replayed_deliveries', 'replay_id')).toHaveLength(9);
});

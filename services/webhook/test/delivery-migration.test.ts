import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { kitMigrations } from '@sabia/service-kit/postgres/kit-migrations';
import { migrate } from '@sabia/service-kit/postgres/migrate';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';
import { createPartitionKeeper } from '../src/partition-keeper';
import { claimDeliveries } from '../src/storage/claims';
import { removeLeftovers } from '../src/storage/deleted-integrations';
import { listDeliveries } from '../src/storage/delivery-list';
import { replayDeliveries } from '../src/storage/replay-deliveries';
import { writeResults } from '../src/storage/results';

const log = createLogger({ name: 'test', level: 'silent' });
const migrations = path.join(__dirname, '..', 'migrations');
const day = 24 * 60 * 60 * 1000;
const now = new Date();
const ago = (days: number): Date => new Date(now.getTime() - days * day);

let testDatabase: TestDatabase;
let database: Database;
let former: string;
let url: string;

/** The tables of the release before deliveries became a queue and a log, with one integration. */
beforeEach(async () => {
  testDatabase = await createTestDatabase('webhook');
  former = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  url = `${testDatabase.adminUrl}?options=-csearch_path%3Dbefore`;
  database = createDatabase({ ...patient, url, applicationName: 'test', poolSize: 6, log });
  await database.query('CREATE SCHEMA before');
  const files = (await readdir(migrations)).filter((name) => name < '0011');
  await Promise.all(files.map((name) => copyFile(path.join(migrations, name), path.join(former, name))));
  await migrate({ url, directories: [kitMigrations, { set: 'webhook', path: former }], log });
  await database.query(
    `INSERT INTO integrations (account_id, user_id, gateway, webhook, metadata, constraint_pairs, secret, created_at, updated_at)
     VALUES (1, 1, 'crm', false, '{}', '{}', '', now(), now())`,
  );
});

afterEach(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(former, { recursive: true });
});

const migrateOn = () => migrate({ url, directories: [kitMigrations, { set: 'webhook', path: migrations }], log });

/** As the release before inserted, which made ids of the time alone. */
const insertAsBefore = (created: Date, { callId = null as string | null, lease = null as string | null } = {}) => {
  const id = newEventId(created);
  return database
    .query<{ id: string }>(
      `INSERT INTO deliveries (id, integration_id, event_id, event_type, call_id, payload, test, due_at, lease_token, created_at)
       VALUES ($1, 1, $2, 'channel-hangup', $3, '{"a":1}', false, $4, $5, $6)
       ON CONFLICT (integration_id, event_id) DO NOTHING RETURNING id`,
      [id, newEventId(created), callId, lease === null ? created : new Date(now.getTime() + day), lease, created],
    )
    .then((rows) => ({ id, isInserted: rows.length > 0 }));
};

const finish = (id: string, status: 'delivered' | 'dead') =>
  database.query(
    `UPDATE deliveries SET status = $2, attempts = ARRAY[$3::json], attempt_count = 1, due_at = NULL, lease_token = NULL,
       finished_at = created_at WHERE id = $1`,
    [id, status, JSON.stringify({ at: now, latencyMs: 7, status: status === 'dead' ? 410 : 200 })],
  );

const lists = () => database.query('SELECT * FROM delivery_list ORDER BY id');
const listed = async (status: string): Promise<string[]> => {
  const filter = JSON.stringify({ where: { status }, order: 'createdAt ASC' });
  const { deliveries, meta } = await listDeliveries(database, { integrationId: 1, timeZone: 'UTC', filter, page: 1 });
  expect(meta.totalItemCount).toBe(deliveries.length);
  return deliveries.map(({ id }) => id);
};
const claim = (at: Date) =>
  claimDeliveries(database, {
    ...{ now: at, leaseUntil: new Date(at.getTime() + day), owner: newEventId(), limit: 10_000 },
    rooms: new Map([[1, { held: 0, ahead: 10_000 }]]),
  });

test('a filled table becomes a queue and a log: lists answer the same, and what is open is sent in its order', async () => {
  const owner = newEventId();
  const [over, delivered, dead, replayed] = [
    await insertAsBefore(ago(200)),
    await insertAsBefore(ago(3)),
    await insertAsBefore(ago(40)),
    await insertAsBefore(ago(41)),
  ].map(({ id }) => id) as [string, string, string, string];
  await finish(over, 'delivered');
  await finish(delivered, 'delivered');
  await finish(dead, 'dead');
  await finish(replayed, 'dead');
  const second = await insertAsBefore(ago(1), { callId: 'call' });
  const third = await insertAsBefore(ago(1), { callId: 'call' });
  const sent = await insertAsBefore(ago(1), { lease: owner });
  const retried = await insertAsBefore(ago(2));
  await database.query(
    `UPDATE deliveries SET status = 'retrying', attempt_count = 2, failures = 2, attempts = ARRAY['{}', '{}']::json[] WHERE id = $1`,
    [retried.id],
  );
  const before = await lists();
  expect(before).toHaveLength(8);

  await migrateOn();

  expect(await lists()).toEqual(before);
  expect(await listed('dead')).toEqual([replayed, dead]);
  expect(await listed('delivered')).toEqual([over, delivered]);
  expect(await listed('retrying')).toEqual([retried.id]);
  expect(new Set(await listed('pending'))).toEqual(new Set([second.id, third.id, sent.id]));

  // What a replica had taken stays its own; of a call the first event comes first.
  expect(await claim(now)).toMatchObject([
    { id: second.id, failures: 0, payload: '{"a":1}' },
    { id: retried.id, failures: 2 },
  ]);
  const attempt = { at: now, latencyMs: 1, status: 200 };
  const result = {
    deliveryId: sent.id,
    integrationId: 1,
    outcome: { status: 'delivered' as const, gone: false },
    attempt,
  };
  await writeResults(database, [result], [owner], now);
  expect(await listed('delivered')).toEqual([over, delivered, sent.id]);

  const span = { status: 'dead' as const, to: ago(40.5) };
  expect(await replayDeliveries(database, { integrationId: 1, replayId: newEventId() }, span, now)).toBe(1);
  expect(await listed('dead')).toEqual([dead]);
  expect(await claim(now)).toMatchObject([{ id: replayed, attemptCount: 1 }]);

  await Promise.all(Array.from({ length: 2 }, createPartitionKeeper({ database, log, now: () => now })));
  const [places] = await database.query<{ partitions: number; indexes: number }>(
    `SELECT (SELECT count(*) FROM pg_inherits WHERE inhparent = 'delivery_log'::regclass) AS partitions,
       (SELECT count(*) FROM pg_index WHERE indrelid = 'delivery_log_before'::regclass) AS indexes`,
  );
  expect(places).toEqual({ partitions: 6, indexes: 3 });
});

test('nothing is lost that replicas of the release before insert meanwhile, and until they are replaced', async () => {
  const told: { id: string; isFinished: boolean }[] = [];
  let migrated = false;
  const work = async (): Promise<void> => {
    do {
      const one = await insertAsBefore(new Date());
      if (one.isInserted) await finish(one.id, 'delivered');
      told.push(
        { id: one.id, isFinished: one.isInserted },
        { id: (await insertAsBefore(new Date())).id, isFinished: false },
      );
    } while (!migrated);
  };
  const replicas = Array.from({ length: 4 }, work);
  await migrateOn();
  migrated = true;
  await Promise.all(replicas);

  const rows = await database.query<{ id: string; status: string; isOpen: boolean }>(
    `SELECT id, status, EXISTS (SELECT FROM delivery_queue WHERE delivery_id = id) AS "isOpen" FROM delivery_log`,
  );
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(told.map(({ id }) => id)));
  expect(rows.filter(({ status, isOpen }) => (status === 'pending') !== isOpen)).toEqual([]);
  // One that was finished between the two statements of a replica that saw it no more is sent again.
  const finished = rows.filter(({ status }) => status === 'delivered').length;
  const surely = told.filter(({ isFinished }) => isFinished).length;
  expect(surely - finished).toBeLessThanOrEqual(replicas.length);

  // The former replica inserts, and finds nothing to take.
  const last = await insertAsBefore(new Date(), { callId: 'call', lease: newEventId() });
  expect(last.isInserted).toBe(false);
  expect(await database.query('SELECT FROM deliveries')).toEqual([]);
  const claimed = await claim(new Date(Date.now() + day));
  expect(claimed.map(({ id }) => id)).toContain(last.id);
  expect(
    await database.query(
      'SELECT call_id, lease_token IS NULL AS free FROM delivery_queue ORDER BY position DESC LIMIT 1',
    ),
  ).toEqual([{ call_id: 'call', free: false }]);

  // It deletes an integration: the note stays until this release has removed its deliveries.
  await database.query('DELETE FROM integrations');
  await database.query('DELETE FROM deleted_integrations');
  expect(await database.query('SELECT FROM deleted_integrations')).toHaveLength(1);
  await removeLeftovers(database, 1, new AbortController().signal);
  expect(await database.query('SELECT FROM deleted_integrations')).toHaveLength(0);
  expect(await lists()).toEqual([]);
});

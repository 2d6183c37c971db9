import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInbox } from '@sabia/service-kit/events/consumer/inbox';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import { kitMigrations } from '@sabia/service-kit/postgres/kit-migrations';
import { migrate } from '@sabia/service-kit/postgres/migrate';
import { createTestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';

const log = createLogger({ name: 'test', level: 'silent' });
const day = 24 * 60 * 60 * 1000;

it('the inbox becomes slots while consumers record events, and none is handled twice', async () => {
  const testDatabase = await createTestDatabase('identity');
  const path = await mkdtemp(join(tmpdir(), 'migrations-'));
  const url = `${testDatabase.adminUrl}?options=-csearch_path%3Dbefore`;
  const database = createDatabase({ ...patient, url, applicationName: 'test', poolSize: 6, log });
  try {
    await database.query('CREATE SCHEMA before');
    const files = (await readdir(kitMigrations.path)).filter((name) => name < '0006');
    await Promise.all(files.map((name) => copyFile(join(kitMigrations.path, name), join(path, name))));
    await migrate({ url, directories: [{ set: 'kit', path }], log });

    const aged = async (ageMs: number) => {
      const ids = Array.from({ length: 1_000 }, () => newEventId(new Date(Date.now() - ageMs)));
      await database.query(
        'INSERT INTO inbox (consumer, event_id, handled_at) SELECT $1, unnest($2::uuid[]), $3::timestamptz',
        [...['consumer', ids, new Date(Date.now() - ageMs)]],
      );
      return ids;
    };
    const [old, young] = [await aged(9 * day), await aged(7 * day)];

    const inbox = createInbox(database, 'consumer');
    const recorded: string[] = [];
    const putOff: string[] = [];
    let migrated = false;
    const work = async (): Promise<void> => {
      do {
        const ids = [newEventId(), newEventId(new Date(Date.now() - 3 * day))];
        await database.transaction(async (tx) => {
          await inbox.record(tx, ids);
          await inbox.unrecord(tx, [ids[1]!]);
        });
        recorded.push(ids[0]!);
        putOff.push(ids[1]!);
      } while (!migrated);
    };
    const consumers = Array.from({ length: 4 }, work);
    await migrate({ url, directories: [kitMigrations], log });
    migrated = true;
    await Promise.all(consumers);

    expect(recorded.length).toBeGreaterThanOrEqual(4);
    expect(await inbox.record(database, [...recorded, ...young])).toEqual(new Set());
    expect(await inbox.record(database, putOff)).toEqual(new Set(putOff));
    expect(await inbox.record(database, old)).toEqual(new Set(old));
    const left = `SELECT FROM pg_class WHERE relnamespace = 'before'::regnamespace AND relname LIKE 'inbox_slots%'`;
    expect(await database.query(left)).toEqual([]);
  } finally {
    await database.close();
    await testDatabase.drop();
    await rm(path, { recursive: true });
  }
});

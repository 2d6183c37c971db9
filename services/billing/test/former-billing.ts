import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { migrate } from '@sabia/service-kit/postgres/migrate';
import { createTestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';
import { log } from './stage';

const migrations = path.join(__dirname, '..', 'migrations');

export interface FormerBilling {
  database: Database;
  /** Applies the migrations that are missing. */
  upgrade(): Promise<{ applied: string[] }>;
  close(): Promise<void>;
}

/** A schema as it was before the migration with this number. */
export async function openFormerBilling(number: string): Promise<FormerBilling> {
  const testDatabase = await createTestDatabase('billing');
  const url = `${testDatabase.adminUrl}?options=-csearch_path%3Dformer`;
  const database = createDatabase({ ...patient, url, applicationName: 'test', poolSize: 8, log });
  await database.query('CREATE SCHEMA former');
  const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  const files = (await readdir(migrations)).filter((name) => name < number);
  await Promise.all(files.map((name) => copyFile(path.join(migrations, name), path.join(folder, name))));
  await migrate({ url, directories: [{ set: 'billing', path: folder }], log });
  await rm(folder, { recursive: true });
  return {
    database,
    upgrade: () => migrate({ url, directories: [{ set: 'billing', path: migrations }], log }),
    async close() {
      await database.close();
      await testDatabase.drop();
    },
  };
}

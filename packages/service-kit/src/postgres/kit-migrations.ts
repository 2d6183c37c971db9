import { dirname, join } from 'node:path';
import type { MigrationDirectory } from './migration-files';

const folder = dirname(require.resolve('@sabia/service-kit/package.json'));

/** The tables of the chassis itself (outbox, inbox). */
export const kitMigrations: MigrationDirectory = { set: 'kit', path: join(folder, 'migrations') };

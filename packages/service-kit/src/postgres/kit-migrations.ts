import { join } from 'node:path';
import type { MigrationDirectory } from './migration-files';

/** The tables of the chassis itself (outbox, inbox). src and dist lie equally deep. */
export const kitMigrations: MigrationDirectory = { set: 'kit', path: join(__dirname, '..', '..', 'migrations') };

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../logging';
import { makeConcurrently } from './concurrent-index';
import { sqlState, toDatabaseError } from './errors';
import { kitMigrations } from './kit-migrations';
import { readMigrationFiles } from './migration-files';
import type { MigrationDirectory, MigrationFile } from './migration-files';
import { untilSetUp } from './until-set-up';

export interface MigrateOptions {
  /** Carries the role of the service; everything is created in its schema. */
  url: string;
  /** Applied in this order, after the kit's own set (outbox, inbox), which every schema has. */
  directories: MigrationDirectory[];
  log: Logger;
  /** How long to wait for a database that is away or not set up yet; not at all when left out. */
  waitMs?: number;
  retryMs?: number;
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface AppliedMigration {
  set: string;
  name: string;
  checksum: string;
}

/** A migration that waits for a lock makes every later query on that table wait behind it: it lets them through, and tries again. */
const lockTimeout = '2s';
const lockTries = 30;
const betweenTriesMs = 2_000;
/** Others use the table: they were waited for in vain, or waited for the migration themselves. */
const passing = ['55P03', '40P01'];
const turnPollMs = 100;

export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const { directories, log, waitMs = 0, retryMs = 1_000 } = options;
  const sets = directories.some(({ set }) => set === kitMigrations.set) ? directories : [kitMigrations, ...directories];
  const files = (await Promise.all(sets.map(readMigrationFiles))).flat();
  return untilSetUp({ waitMs, retryMs, log }, () => migrateOnce(options.url, files, log));
}

async function migrateOnce(url: string, files: MigrationFile[], log: Logger): Promise<{ applied: string[] }> {
  const client = new Client({
    connectionString: url,
    application_name: 'sabia migrate',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { applied: await applyPending(client, files, log) };
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function applyPending(client: Client, files: MigrationFile[], log: Logger): Promise<string[]> {
  await takeTurn(client);
  await client.query(`SET lock_timeout = '${lockTimeout}'`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       "set" text NOT NULL,
       name text NOT NULL,
       checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY ("set", name)
     )`,
  );
  const { rows } = await client.query<AppliedMigration>('SELECT "set", name, checksum FROM schema_migrations');
  const pending = findPending(files, rows);
  for (const unknown of rows.filter((row) => !files.some((file) => file.set === row.set && file.name === row.name))) {
    // Normal while an older release still runs beside a newer one: migrations expand first and contract later.
    log.warn({ migration: `${unknown.set}/${unknown.name}` }, 'applied by a newer release');
  }
  for (const file of pending) {
    await apply(client, file, log).catch((error: unknown) => {
      throw describe(error, file);
    });
    log.info({ migration: `${file.set}/${file.name}` }, 'migration applied');
  }
  return pending.map((file) => `${file.set}/${file.name}`);
}

/**
 * The lock is held by the session, so that it also ends with a runner that dies. It is asked for again and again rather than waited for:
 * an index that is made concurrently waits for every statement that runs, and would wait for the runner that waits for it.
 */
async function takeTurn(client: Client): Promise<void> {
  const lock = `SELECT pg_try_advisory_lock(hashtextextended('sabia migrate ' || current_schema(), 0)) AS taken`;
  while (!(await client.query<{ taken: boolean }>(lock)).rows[0]!.taken) {
    await delay(turnPollMs);
  }
}

/** Refuses history that was rewritten; returns what is to be applied, in order. */
export function findPending(files: MigrationFile[], applied: AppliedMigration[]): MigrationFile[] {
  const pending: MigrationFile[] = [];
  for (const file of files) {
    const row = applied.find(({ set, name }) => set === file.set && name === file.name);
    if (row === undefined) {
      const later = applied.find(({ set, name }) => set === file.set && name > file.name);
      if (later !== undefined) {
        throw new MigrationError(
          `${file.set}/${file.name} is new but ${later.name} is already applied: give it a later number.`,
        );
      }
      pending.push(file);
    } else if (row.checksum !== file.checksum) {
      throw new MigrationError(
        `${file.set}/${file.name} was changed after it had been applied: write a new migration instead.`,
      );
    }
  }
  return pending;
}

async function apply(client: Client, file: MigrationFile, log: Logger): Promise<void> {
  const { concurrentIndex } = file;
  if (concurrentIndex === undefined) {
    await onceFree(file, log, () => applyFile(client, file));
    return;
  }
  await makeConcurrently(client, concurrentIndex, (statement) => onceFree(file, log, () => client.query(statement)));
  await record(client, file);
}

/** Runs work that soon gives up waiting for a lock; while tables are in use, it is tried again. */
async function onceFree(file: MigrationFile, log: Logger, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (tries === lockTries || !passing.includes(sqlState(error) ?? '')) throw error;
      log.warn({ migration: `${file.set}/${file.name}`, tries }, 'a table is in use, the migration is tried again');
      await delay(betweenTriesMs);
    }
  }
}

async function applyFile(client: Client, file: MigrationFile): Promise<void> {
  await client.query('BEGIN');
  try {
    // First, so that a runner that got past the lock fails here, before it does anything twice.
    await record(client, file);
    await client.query(file.sql);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function record(client: Client, { set, name, checksum }: MigrationFile): Promise<void> {
  const values = [set, name, checksum];
  await client.query('INSERT INTO schema_migrations ("set", name, checksum) VALUES ($1, $2, $3)', values);
}

function describe(error: unknown, file: MigrationFile): unknown {
  if (toDatabaseError(error) !== error || !(error instanceof Error)) {
    return error;
  }
  const position = Number((error as { position?: string }).position);
  const line = position > 0 ? `:${file.sql.slice(0, position).split('\n').length}` : '';
  return new MigrationError(`${file.path}${line}: ${error.message}`, { cause: error });
}

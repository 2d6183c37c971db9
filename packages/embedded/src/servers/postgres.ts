import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { inheritedEnvironment } from '../config';
import { HopelessError } from '../process/managed-process';
import type { PortBook } from '../process/port-book';
import type { ProcessRegistry } from '../process/registry';
import type { Progress } from '../progress';
import { chooseDisguise, type Disguise } from '../programs/not-as-root';
import { findPostgresBinaries } from '../programs/postgres-binaries';
import { run } from '../programs/run';
import type { Secrets } from '../secrets';
import { startOwnServer } from './own-server';
import type { Server } from './server';

const INVALID_PASSWORD = '28P01';

export interface OwnServerPlace {
  home: string;
  ports: PortBook;
  registry: ProcessRegistry;
  secrets: Secrets;
  progress: Progress;
  durable: boolean;
  onDeath?: (name: string, how: string) => void;
  onRevival?: (name: string) => void;
  signal?: AbortSignal;
}

export async function startPostgres(place: OwnServerPlace): Promise<Server> {
  const { home, ports, registry, secrets, progress, durable, onDeath, onRevival, signal } = place;
  const password = secrets.get('postgres');
  const data = join(home, 'postgres');
  mkdirSync(home, { recursive: true });
  const isNew = !existsSync(join(data, 'PG_VERSION'));
  const disguise = await chooseDisguise(findPostgresBinaries(), isNew ? home : data);
  if (isNew) {
    progress('creating the PostgreSQL cluster');
    await createCluster(disguise, data, password, durable);
  }
  const urlOf = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  return startOwnServer({
    name: 'postgres',
    ports,
    onDeath,
    onRevival,
    signal,
    url: urlOf,
    process: (port) => {
      const { command, args, uid, gid } = disguise.wrap(disguise.binaries.postgres, [
        '-D',
        data,
        ...settings(port, durable),
      ]);
      return {
        ...{ name: 'postgres', command, args, uid, gid, env: serverEnvironment(), cwd: '/', registry, rank: 0 },
        logFile: join(home, 'logs/postgres.log'),
        // PostgreSQL's fast shutdown ends sessions and writes everything; SIGTERM would wait for the last client.
        stopSignal: 'SIGINT',
        ready: () => answers(urlOf(port), data),
      };
    },
  });
}

/** Creates the cluster in another folder and renames it, so that a killed start leaves no half-made cluster. */
async function createCluster(disguise: Disguise, data: string, password: string, durable: boolean): Promise<void> {
  const staging = `${data}.new`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(join(staging, 'data'), { recursive: true });
  // Only this folder changes its owner; the password is read before that.
  const passwordFile = join(staging, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chmodSync(join(staging, 'data'), 0o700);
  for (const path of [join(staging, 'data'), passwordFile, staging]) disguise.own(path);
  const { command, args, uid, gid } = disguise.wrap(disguise.binaries.initdb, [
    ...['--pgdata', join(staging, 'data'), '--username', 'postgres', '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale-provider', 'builtin', '--locale', 'C.UTF-8'],
    ...(durable ? [] : ['--no-sync', '--wal-segsize', '1']),
  ]);
  await run(command, args, { uid, gid, env: serverEnvironment(), cwd: dirname(data) });
  renameSync(join(staging, 'data'), data);
  rmSync(staging, { recursive: true, force: true });
}

function settings(port: number, durable: boolean): string[] {
  const common = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // No Unix socket: its path must be short, and the home's path may be long.
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
  };
  const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };
  return Object.entries(durable ? common : { ...common, ...careless }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
}

function serverEnvironment(): NodeJS.ProcessEnv {
  return inheritedEnvironment({ LC_ALL: 'C', TZ: 'UTC' });
}

async function answers(url: string, data: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_PASSWORD) throw error;
    throw new HopelessError(
      `the cluster in ${data} does not take the password in secrets.json; begin anew with npm start -- --fresh`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

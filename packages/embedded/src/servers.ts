import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPortBook, type PortBook } from './process/port-book';
import { createRegistry } from './process/registry';
import type { Progress } from './progress';
import { findServers, type FetchedServer } from './programs/find-server';
import type { Program } from './programs/debian-bundle';
import { openSecrets } from './secrets';
import { startNats } from './servers/nats';
import { startPostgres } from './servers/postgres';
import { startRedis } from './servers/redis';
import { givenServer, type Server } from './servers/server';

export type ServerName = 'postgres' | 'nats' | 'redis';

export interface ServersOptions {
  /** Data, logs and process records. One set of servers per home. */
  home: string;
  /** Where fetched programs are kept; may be shared by many homes. */
  cache: string;
  progress?: Progress;
  /** Default: all. Using a server that was not started throws. */
  only?: readonly ServerName[];
  /** False: faster, but a crash loses data; for tests. */
  durable?: boolean;
  /** Running servers to use instead of starting one. */
  urls?: Partial<Record<ServerName, string>>;
  /** If given, a server that dies is reported here and started again. */
  onDeath?: (name: string, how: string) => void;
  onRevival?: (name: string) => void;
  /** Aborts a start that is under way. */
  signal?: AbortSignal;
  /** Where programs of the host are looked for. */
  path?: string;
  /** Shared with the other parts that take ports for this home. */
  ports?: PortBook;
}

export interface Servers extends Record<ServerName, Server> {
  stop(): Promise<void>;
}

/** Starts real servers on free ports of 127.0.0.1, without root, and never touches a server it did not start. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const {
    home,
    cache,
    progress = () => undefined,
    only = ['postgres', 'nats', 'redis'],
    durable = true,
    urls = {},
    onDeath,
    onRevival,
    signal,
    path = '',
  } = options;
  const { ports = openPortBook(home) } = options;
  mkdirSync(home, { recursive: true });
  const registry = createRegistry(join(home, 'run'));
  const secrets = openSecrets(home);
  const started = new Map<ServerName, Server>();

  const place = { home, ports, registry, secrets, progress, durable, onDeath, onRevival, signal };
  const fetched = (['nats', 'redis'] as const).filter((name) => only.includes(name) && !urls[name]);
  const programs = findServers(fetched, { cache, path, progress, signal });
  const programOf = async (name: FetchedServer): Promise<Program> => {
    const program = (await programs).get(name);
    if (!program) throw new Error(`no program was looked for that is ${name}`);
    return program;
  };

  const start = async (name: ServerName): Promise<void> => {
    const given = urls[name];
    if (given) started.set(name, givenServer(given, { postgres: 5432, nats: 4222, redis: 6379 }[name]));
    else if (name === 'postgres') started.set(name, await startPostgres(place));
    else if (name === 'nats') started.set(name, await startNats(await programOf(name), place));
    else started.set(name, await startRedis(await programOf(name), place));
  };

  const stop = async (): Promise<void> => {
    await Promise.all([...started.values()].map((server) => server.stop()));
  };

  const results = await Promise.allSettled([programs, ...only.map(start)]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure || signal?.aborted) {
    await stop();
    throw failure?.reason ?? signal?.reason;
  }

  const get = (name: ServerName): Server => {
    const server = started.get(name);
    if (!server) throw new Error(`${name} was not asked for when the servers were started`);
    return server;
  };
  return {
    get postgres() {
      return get('postgres');
    },
    get nats() {
      return get('nats');
    },
    get redis() {
      return get('redis');
    },
    stop,
  };
}

import { UsageError } from '../config';
import { obtainBundles, type Bundles, type ObtainOptions, type Program, type Recipe } from './debian-bundle';
import { findOnPath } from './find-on-path';

export type FetchedServer = 'nats' | 'redis';

interface Source {
  recipe: Recipe;
  /** In the order of preference. */
  onPath: readonly string[];
  variable: string;
}

const SOURCES: Record<FetchedServer, Source> = {
  nats: {
    recipe: { id: 'nats-server-1', packages: ['nats-server'], programs: ['nats-server'] },
    onPath: ['nats-server'],
    variable: 'SABIA_NATS_URL',
  },
  redis: {
    recipe: { id: 'valkey-server-1', packages: ['valkey-server'], programs: ['valkey-server'] },
    onPath: ['valkey-server', 'redis-server'],
    variable: 'SABIA_REDIS_URL',
  },
};

/** Takes each program from the cache, else fetches it, else looks in PATH, else fails with a message that says what to install. */
export async function findServers(
  servers: readonly FetchedServer[],
  options: ObtainOptions & { path: string },
): Promise<Map<FetchedServer, Program>> {
  const recipes = servers.map((server) => SOURCES[server].recipe);
  const bundles = await obtainBundles(recipes, options);
  return new Map(servers.map((server) => [server, choose(SOURCES[server], bundles, options.path)]));
}

function choose({ recipe, onPath, variable }: Source, bundles: Bundles, path: string): Program {
  const bundle = bundles.get(recipe.id);
  const fetched = bundle instanceof Map ? bundle.get(recipe.programs[0] ?? '') : undefined;
  if (fetched) return fetched;
  for (const name of onPath) {
    const command = findOnPath(name, path);
    if (command) return { command, args: [] };
  }
  const names = onPath.join(' or ');
  const reason = bundle instanceof Error ? bundle.message : 'the bundle holds no such program';
  throw new UsageError(
    `${names} could not be had. Install ${names} so that it is found on PATH, or give the address of a running server in ${variable}.\n` +
      `Fetching the Debian package ${recipe.packages.join(', ')} was tried first: ${reason}`,
  );
}

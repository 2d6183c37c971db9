import { join } from 'node:path';
import { inheritedEnvironment } from '@sabia/embedded/config';
import { obtainBundles, type Program, type Recipe } from '@sabia/embedded/programs/debian-bundle';
import { findOnPath } from '@sabia/embedded/programs/find-on-path';
import { sharedCache } from '../run-homes';

const BARESIP_MODULES = [
  'aubridge',
  'ausine',
  'g711',
  'g722',
  'opus',
  'sndfile',
  'srtp',
  'uuid',
  'account',
  'menu',
  'ctrl_tcp',
];

const RECIPES: Record<'baresip' | 'sipp', Recipe> = {
  baresip: {
    id: 'baresip-2',
    packages: ['baresip-core'],
    programs: ['baresip'],
    plugins: BARESIP_MODULES.map((name) => `baresip/modules/${name}.so`),
    // Both programs exit with an error when they are asked for their version.
    check: [],
  },
  sipp: { id: 'sipp-1', packages: ['sip-tester'], programs: ['sipp'], check: [] },
};

export interface Baresip extends Program {
  modules: readonly string[];
  /** Undefined for a program of the host, which knows where its modules are. */
  modulePath?: string;
}

export const phoneRecipes: readonly Recipe[] = Object.values(RECIPES);

/** A real SIP phone without a window. */
export async function findBaresip(): Promise<Baresip> {
  const program = await find('baresip');
  return {
    ...program,
    modules: BARESIP_MODULES,
    modulePath: program.bundle && join(program.bundle, 'lib/baresip/modules'),
  };
}

/** Sends SIP according to a scenario. */
export async function findSipp(): Promise<Program> {
  return find('sipp');
}

async function find(name: 'baresip' | 'sipp'): Promise<Program> {
  const recipe = RECIPES[name];
  const bundle = (await obtainBundles([recipe], { cache: sharedCache, progress: () => undefined })).get(recipe.id);
  const fetched = bundle instanceof Map ? bundle.get(name) : undefined;
  if (fetched) return fetched;
  const command = findOnPath(name, inheritedEnvironment().PATH ?? '');
  if (command) return { command, args: [] };
  const reason = bundle instanceof Error ? bundle.message : 'the bundle is empty';
  throw new Error(
    `${name} could not be had: install it, or see why fetching ${recipe.packages.join()} failed: ${reason}`,
  );
}

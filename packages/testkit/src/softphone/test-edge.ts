import { join } from 'node:path';
import { inheritedEnvironment } from '@sabia/embedded/config';
import { findKamailio } from '@sabia/embedded/kamailio/find-kamailio';
import { kamailioRecipe } from '@sabia/embedded/kamailio/recipe';
import { startKamailio, type Kamailio, type KamailioOptions } from '@sabia/embedded/kamailio/start-kamailio';
import type { PortBook } from '@sabia/embedded/process/port-book';
import { obtainBundles } from '@sabia/embedded/programs/debian-bundle';
import { run } from '@sabia/embedded/programs/run';
import { Client } from 'pg';
import type { TestDatabase } from '../database';
import { eventually } from '../eventually';
import { sharedCache } from '../run-homes';

/** Roles belong to the whole server, so all test files give these the same password. */
const PASSWORD = 'test';

/** The URL of a database for a role that bootstrap.sql creates without a password. */
export async function urlForRole(database: TestDatabase, role: 'sabia_asterisk' | 'sabia_edge'): Promise<string> {
  const sql = new Client({ connectionString: database.adminUrl });
  await sql.connect();
  // PostgreSQL refuses this when another file does the same at the same moment.
  await eventually(() => sql.query(`ALTER ROLE ${role} PASSWORD '${PASSWORD}'`));
  await sql.end();
  const url = new URL(database.adminUrl);
  url.username = role;
  url.password = PASSWORD;
  return url.href;
}

export interface TestEdgeOptions extends Partial<Omit<KamailioOptions, 'program' | 'postgresUrl'>> {
  home: string;
  ports?: PortBook;
}

/** Starts a SIP edge on the database of one test file. */
export async function startTestEdge(database: TestDatabase, options: TestEdgeOptions): Promise<Kamailio> {
  const search = await findKamailio({
    ...{ cache: sharedCache, path: inheritedEnvironment().PATH ?? '', progress: () => undefined },
  });
  if (!search.program) throw new Error(`there is no Kamailio to test with: ${search.reason}`);
  return startKamailio({ ...options, program: search.program, postgresUrl: await urlForRole(database, 'sabia_edge') });
}

/** Gives an edge a command, as an operator does with kamcmd. */
export async function tellEdge(home: string, { name }: Kamailio, ...command: string[]): Promise<string> {
  const recipe = kamailioRecipe();
  const bundle = (await obtainBundles([recipe], { cache: sharedCache, progress: () => undefined })).get(recipe.id);
  const fetched = bundle instanceof Map ? bundle.get('kamcmd') : undefined;
  const { command: kamcmd, args } = fetched ?? { command: 'kamcmd', args: [] };
  return run(kamcmd, [...args, '-s', `unix:${join(home, name, 'ctl')}`, ...command]);
}

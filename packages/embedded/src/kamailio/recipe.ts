import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recipe } from '../programs/debian-bundle';
import { projectRoot } from '../project';

export const templateFolder = join(projectRoot, 'deploy/kamailio/etc');

/** The modules that kamailio.cfg loads; all others are left out of the bundle. */
export function loadedModules(configuration: string): string[] {
  return [...configuration.matchAll(/^\s*loadmodule "(\S+\.so)"\s*$/gm)].map(([, name = '']) => name);
}

/** Kamailio from Debian testing: about 30 MB of the 184 MB of its 77 packages are kept. */
export function kamailioRecipe(): Recipe {
  const modules = loadedModules(readFileSync(join(templateFolder, 'kamailio.cfg'), 'utf8'));
  const content = {
    packages: ['kamailio', 'kamailio-postgres-modules', 'kamailio-websocket-modules', 'kamailio-tls-modules'],
    programs: ['kamailio', 'kamcmd'],
    plugins: ['libgcc_s.so.1', ...modules.map((name) => `kamailio/modules/${name}`)],
    check: ['-h'],
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 8);
  return { id: `kamailio-${digest}`, ...content };
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recipe } from '../programs/debian-bundle';
import { projectRoot } from '../project';

export const templateFolder = join(projectRoot, 'deploy/asterisk/etc');

/** Where the Debian package keeps the prompts of its core sounds. */
export const soundLanguage = 'en_US_f_Allison';

/** The modules that modules.conf loads; all others are left out of the bundle. */
export function loadedModules(modulesConf: string): string[] {
  return [...modulesConf.matchAll(/^(?:pre)?load=(\S+\.so)\s*$/gm)].map(([, name = '']) => name);
}

/** Asterisk from Debian testing: about 45 MB of the 270 MB of its 160 packages are kept. */
export function asteriskRecipe(): Recipe {
  const modules = loadedModules(readFileSync(join(templateFolder, 'modules.conf'), 'utf8'));
  const content = {
    packages: ['asterisk', 'asterisk-core-sounds-en-gsm'],
    programs: ['asterisk'],
    // glibc opens libgcc_s when the first thread ends, and aborts when it is not there.
    plugins: ['libgcc_s.so.1', ...modules.map((name) => `asterisk/modules/${name}`)],
    // Asterisk refuses options whose documentation is missing.
    data: ['asterisk/documentation', 'asterisk/rest-api', `asterisk/sounds/${soundLanguage}`],
    check: ['-V'],
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 8);
  return { id: `asterisk-${digest}`, ...content };
}

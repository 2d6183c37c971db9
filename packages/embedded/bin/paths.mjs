import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The same as in config.ts, for commands that must work before anything is installed or built. */
export function homeFolder() {
  const given = process.env.SABIA_HOME?.trim() || '.sabia';
  return isAbsolute(given) ? given : join(root, given);
}

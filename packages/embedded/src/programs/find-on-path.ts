import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Servers often live in sbin, which the PATH of an ordinary user leaves out. */
const ALSO = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

export function findOnPath(name: string, path: string): string | undefined {
  for (const directory of [...path.split(delimiter), ...ALSO]) {
    if (!directory) continue;
    const candidate = join(directory, name);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // The folder has no such program.
    }
  }
  return undefined;
}

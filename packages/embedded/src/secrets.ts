import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './files';

/** Passwords of this home: generated once and kept in a file that only its owner can read. */
export interface Secrets {
  /** Generates a password, unless `make` generates something else. */
  get(name: string, make?: () => string): string;
}

export function openSecrets(home: string): Secrets {
  mkdirSync(home, { recursive: true });
  const file = join(home, 'secrets.json');
  return {
    get(name, make = () => randomBytes(24).toString('base64url')) {
      // Read on every call, because several parts of one process open the secrets of a home.
      const known = read(file);
      const existing = known[name];
      if (existing) return existing;
      const made = make();
      known[name] = made;
      writeFileAtomically(file, `${JSON.stringify(known, null, 2)}\n`, 0o600);
      return made;
    },
  };
}

function read(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './files';

/** An account at an installation, and the token to use it with. */
export interface Profile {
  url: string;
  token: string;
  email: string;
  domain: string;
}

export interface Profiles {
  get(name: string): Profile | undefined;
  names(): string[];
  save(name: string, profile: Profile): void;
  remove(name: string): void;
}

/** Profiles are kept in one file that only its owner can read. */
export function openProfiles(folder: string): Profiles {
  const file = join(folder, 'credentials.json');

  function read(): Record<string, Profile> {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Profile>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
  }

  function write(profiles: Record<string, Profile>): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(file, `${JSON.stringify(profiles, null, 2)}\n`);
    chmodSync(file, 0o600);
  }

  return {
    get: (name) => (Object.hasOwn(read(), name) ? read()[name] : undefined),
    names: () => Object.keys(read()),
    save: (name, profile) => write({ ...read(), [name]: profile }),
    remove(name) {
      const { [name]: _removed, ...others } = read();
      write(others);
    },
  };
}

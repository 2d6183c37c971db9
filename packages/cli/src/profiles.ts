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

/** An operator's port, and the token of an operator. */
export interface OperatorLogin {
  url: string;
  token: string;
}

export interface Profiles {
  get(name: string): Profile | undefined;
  save(name: string, profile: Profile): void;
  remove(name: string): void;
  operator(name: string): OperatorLogin | undefined;
  saveOperator(name: string, login: OperatorLogin): void;
  removeOperator(name: string): void;
}

/** Either can be there without the other. */
type Kept = Partial<Profile> & { operator?: OperatorLogin };

/** Profiles are kept in one file that only its owner can read. */
export function openProfiles(folder: string): Profiles {
  const file = join(folder, 'credentials.json');

  function read(): Record<string, Kept> {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Kept>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
  }

  function keep(name: string, kept: Kept): void {
    const { [name]: _former, ...others } = read();
    const all = Object.keys(kept).length > 0 ? { ...others, [name]: kept } : others;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(file, `${JSON.stringify(all, null, 2)}\n`);
    chmodSync(file, 0o600);
  }

  function keptFor(name: string): { account: Partial<Profile>; operator: Pick<Kept, 'operator'> } {
    const all = read();
    const { operator, ...account } = Object.hasOwn(all, name) ? all[name]! : {};
    return { account, operator: operator === undefined ? {} : { operator } };
  }

  return {
    get(name) {
      const { account } = keptFor(name);
      return account.token === undefined ? undefined : (account as Profile);
    },
    save: (name, profile) => keep(name, { ...profile, ...keptFor(name).operator }),
    remove: (name) => keep(name, keptFor(name).operator),
    operator: (name) => keptFor(name).operator.operator,
    saveOperator: (name, operator) => keep(name, { ...keptFor(name).account, operator }),
    removeOperator: (name) => keep(name, keptFor(name).account),
  };
}

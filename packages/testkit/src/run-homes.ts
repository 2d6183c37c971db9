import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { acquireLock, LockedError, type Lock } from '@sabia/embedded/lock';
import { projectRoot } from '@sabia/embedded/project';
import { stopStack } from '@sabia/embedded/stop';
import { areHomesKept } from './config';

const RUNS = join(projectRoot, '.sabia/test');
const KEPT = join(projectRoot, '.sabia/kept');

export const sharedCache = join(projectRoot, '.sabia/cache');

export interface RunHome {
  path: string;
  /** Called after all processes of the home were stopped. */
  remove(): void;
}

/** Creates a home that no other test run uses, even one that runs at the same time. */
export async function createRunHome(kind: string): Promise<RunHome> {
  const path = join(RUNS, `${kind}-${process.pid}-${randomBytes(3).toString('hex')}`);
  // The lock is made before the folder, so that another run never finds the folder without an owner.
  const lock = await acquireLock(`${path}.lock`);
  mkdirSync(path, { recursive: true });
  return { path, remove: () => removeHome(path, lock) };
}

/** Ends the servers of test runs that were killed, and removes their homes. */
export async function removeAbandonedHomes(): Promise<void> {
  for (const name of listFolders()) {
    const path = join(RUNS, name);
    try {
      const lock = await acquireLock(`${path}.lock`);
      await stopStack(path, () => undefined);
      removeHome(path, lock);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
  }
}

function listFolders(): string[] {
  try {
    return readdirSync(RUNS, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function removeHome(path: string, lock: Lock): void {
  if (areHomesKept()) keep(path);
  else rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  lock.release();
}

function keep(path: string): void {
  mkdirSync(KEPT, { recursive: true });
  renameSync(path, join(KEPT, basename(path)));
}

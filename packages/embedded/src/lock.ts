import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process/identity';

export interface Lock {
  release(): void;
}

export class LockedError extends Error {
  constructor(readonly holder: ProcessIdentity) {
    super(`held by process ${holder.pid}`);
  }
}

/** Takes a lock file. The lock of a process that no longer runs counts as free. Throws LockedError when it is held. */
export async function acquireLock(path: string): Promise<Lock> {
  mkdirSync(dirname(path), { recursive: true });
  const me = identify(process.pid) ?? { pid: process.pid, startedAt: '' };
  const content = JSON.stringify({ ...me, nonce: randomBytes(8).toString('hex') });
  const own = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(own, content, { mode: 0o644 });
  try {
    for (;;) {
      if (tryLink(own, path)) {
        // Another process may move our fresh lock away while it removes the dead one; so look again a moment later.
        await delay(20);
        if (read(path) === content) break;
        continue;
      }
      const seen = read(path);
      if (seen === undefined) continue;
      const holder = parse(seen);
      if (holder && isAlive(holder)) throw new LockedError(holder);
      const aside = `${own}.stale`;
      try {
        renameSync(path, aside);
      } catch {
        continue;
      }
      if (read(aside) !== seen) tryLink(aside, path);
      rmSync(aside, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return {
    release: () => {
      if (read(path) === content) rmSync(path, { force: true });
    },
  };
}

export async function waitForLock(path: string, onWait: (holder: ProcessIdentity) => void): Promise<Lock> {
  for (let told = false; ;) {
    try {
      return await acquireLock(path);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (!told) onWait(error.holder);
      told = true;
      await delay(200);
    }
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function parse(content: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(content) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

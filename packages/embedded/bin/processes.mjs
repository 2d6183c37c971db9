// src/process/identity.ts and src/lock.ts again in plain Node, for use before anything is installed or built. Both read and
// write the same files.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export function startTime(pid) {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The process that holds a lock file, if it still runs. */
export function lockHolder(path) {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8'));
    return startTime(holder.pid) === holder.startedAt ? holder : undefined;
  } catch {
    return undefined;
  }
}

export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true });
  const own = `${path}.${process.pid}`;
  const content = JSON.stringify({ pid: process.pid, startedAt: startTime(process.pid) });
  writeFileSync(own, content);
  try {
    for (let told = false; !(await take(own, path, content));) {
      const seen = read(path);
      const holder = lockHolder(path);
      if (holder) {
        if (!told) onWait(holder);
        told = true;
        await delay(200);
      } else if (seen !== undefined) {
        discard(path, seen, `${own}.stale`);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
  try {
    return await work();
  } finally {
    if (read(path) === content) rmSync(path, { force: true });
  }
}

async function take(own, path, content) {
  if (!tryLink(own, path)) return false;
  // Another process may move our fresh lock away while it removes the dead one; so look again a moment later.
  await delay(20);
  return read(path) === content;
}

function discard(path, seen, aside) {
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (read(aside) !== seen) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock, LockedError, waitForLock } from '../src/lock';

describe('a lock file', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sabia-lock-'));
    path = join(folder, 'deep/in/here.lock');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is held by one process, which the others learn, until it is released', async () => {
    const lock = await acquireLock(path);
    await expect(acquireLock(path)).rejects.toThrow(LockedError);
    await expect(acquireLock(path)).rejects.toMatchObject({ holder: { pid: process.pid } });
    lock.release();
    (await acquireLock(path)).release();
    expect(readdirSync(join(folder, 'deep/in'))).toEqual([]);
  });

  it('dies with its holder, also when its pid lives on in another process', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    for (const holder of [
      { pid: gone, startedAt: 'then' },
      { pid: process.pid, startedAt: 'an earlier boot' },
    ]) {
      const lock = await acquireLock(path).catch(() => undefined);
      lock?.release();
      writeFileSync(path, JSON.stringify(holder));
      (await acquireLock(path)).release();
    }
  });

  it('is never held by two, however many want it', async () => {
    writeFileSync(join(folder, 'x.lock'), '{"pid":0,"startedAt":"stale"}');
    let inside = 0;
    let most = 0;
    const turns = Array.from({ length: 12 }, async () => {
      const lock = await waitForLock(join(folder, 'x.lock'), () => undefined);
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      lock.release();
    });
    await Promise.all(turns);
    expect(most).toBe(1);
  });
});

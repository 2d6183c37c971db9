import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepAlive } from '../src/process/keep-alive';
import type { ManagedProcess } from '../src/process/managed-process';
import { createRegistry } from '../src/process/registry';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sabia-keep-alive-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

test('a process that dies while it starts says why, although it is being started again', async () => {
  let first: number | undefined;
  const managed: ManagedProcess = keepAlive(
    {
      name: 'short-lived',
      command: process.execPath,
      args: ['-e', "console.error('the port is in use'); process.exit(3)"],
      logFile: join(home, 'short-lived.log'),
      registry: createRegistry(join(home, 'run')),
      rank: 1,
      ready: async () => {
        first ??= managed.pid;
        while (managed.pid === first || managed.pid === undefined) await delay(5);
        throw new Error('the first process is gone, the second runs');
      },
    },
    () => undefined,
  );

  await expect(managed.start()).rejects.toThrow(
    /^short-lived exited with code 3 while starting; the end of .*short-lived\.log:\n {2}the port is in use$/,
  );
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStackConfig } from './config';
import { isAlive, type ProcessIdentity } from './process/identity';
import { createRegistry, endProcess } from './process/registry';
import { removeStackFiles } from './stack/stack-file';

/** Longer than an orderly stop takes. */
const PATIENCE_MS = 90_000;

/** Ends the stack of a home, or its remaining processes when the supervisor died. Returns whether anything was running. */
export async function stopStack(home: string, report: (message: string) => void): Promise<boolean> {
  const supervisor = supervisorOf(home);
  const isRunning = supervisor !== undefined && isAlive(supervisor);
  if (isRunning) {
    report(`stopping (process ${supervisor.pid})`);
    await endProcess(supervisor, 'SIGTERM', PATIENCE_MS);
  }
  const orphans = await createRegistry(join(home, 'run')).endOrphans((names) =>
    report(`ending what was left behind: ${names.join(', ')}`),
  );
  removeStackFiles(home);
  return isRunning || orphans.length > 0;
}

export async function stopLeftBehind(): Promise<void> {
  const say = (message: string) => process.stdout.write(`sabia: ${message}\n`);
  const { home } = readStackConfig();
  say((await stopStack(home, say)) ? 'stopped' : 'nothing is running here');
}

function supervisorOf(home: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'run/supervisor.lock'), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

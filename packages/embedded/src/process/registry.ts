import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeFileAtomically } from '../files';
import { identify, isAlive, type ProcessIdentity } from './identity';

interface Entry extends ProcessIdentity {
  name: string;
  stopSignal: NodeJS.Signals;
  /** Higher ranks are stopped first: services before the servers they use. */
  rank: number;
}

/** The processes of this home, on disk, so that a start after a crash ends the processes left behind, and no others. */
export interface ProcessRegistry {
  record(name: string, pid: number, stop: { signal: NodeJS.Signals; rank: number }): void;
  forget(name: string): void;
  /** Ends all recorded processes and returns the names of those that were still running. */
  endOrphans(onFound?: (names: readonly string[]) => void): Promise<string[]>;
  /** Synchronous, for a process that is about to exit and can no longer wait. */
  signalAll(choose: (stopSignal: NodeJS.Signals) => NodeJS.Signals): void;
}

export function createRegistry(directory: string): ProcessRegistry {
  mkdirSync(directory, { recursive: true });
  const fileOf = (name: string) => join(directory, `${name}.pid.json`);

  const entries = (): Entry[] =>
    readdirSync(directory)
      .filter((file) => file.endsWith('.pid.json'))
      .flatMap((file) => {
        try {
          return [JSON.parse(readFileSync(join(directory, file), 'utf8')) as Entry];
        } catch {
          return [];
        }
      });

  return {
    record(name, pid, stop) {
      const identity = identify(pid);
      if (!identity) return;
      const entry: Entry = { ...identity, name, stopSignal: stop.signal, rank: stop.rank };
      writeFileAtomically(fileOf(name), JSON.stringify(entry), 0o600);
    },
    forget(name) {
      rmSync(fileOf(name), { force: true });
    },
    async endOrphans(onFound) {
      const found = entries()
        .filter(isAlive)
        .map(({ name }) => name);
      if (found.length > 0) onFound?.(found);
      const ranks = new Map<number, Entry[]>();
      for (const entry of entries()) ranks.set(entry.rank, [...(ranks.get(entry.rank) ?? []), entry]);
      for (const rank of [...ranks.keys()].sort((a, b) => b - a)) {
        await Promise.all(
          (ranks.get(rank) ?? []).map(async (entry) => {
            await endProcess(entry, entry.stopSignal);
            rmSync(fileOf(entry.name), { force: true });
          }),
        );
      }
      return found;
    },
    signalAll(choose) {
      for (const entry of entries()) if (isAlive(entry)) signal(entry.pid, choose(entry.stopSignal));
    },
  };
}

/** Sends the stop signal, later SIGKILL; returns when the process is gone. */
export async function endProcess(
  identity: ProcessIdentity,
  stopSignal: NodeJS.Signals,
  graceMs = 10_000,
): Promise<void> {
  if (!isAlive(identity)) return;
  // A paused process (SIGSTOP) would not handle the signal.
  signal(identity.pid, 'SIGCONT');
  signal(identity.pid, stopSignal);
  const insistAt = Date.now() + graceMs;
  let insisted = false;
  while (isAlive(identity)) {
    if (!insisted && Date.now() > insistAt) {
      signal(identity.pid, 'SIGKILL');
      insisted = true;
    }
    await delay(20);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
  }
}
